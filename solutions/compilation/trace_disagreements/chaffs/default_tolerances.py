"""torch.testing.assert_close with its own tolerances, which are smaller for float64.

Fails: test_tolerance
Says: the tolerance is another one than was asked for
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.trace(function, _fresh(example), check_trace=False)
    found = []
    for number, arguments in enumerate(others):
        expected = function(*_fresh(arguments))
        try:
            torch.testing.assert_close(traced(*_fresh(arguments)), expected, equal_nan=True)
        except (RuntimeError, AssertionError):
            found.append(number)
    return found
