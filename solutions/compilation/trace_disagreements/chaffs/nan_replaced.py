"""nan becomes 0 before the comparison.

Fails: test_nan
Says: nan becomes 0, and then equals a 0
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
            actual = traced(*_fresh(arguments))
        except RuntimeError:
            found.append(number)
            continue
        if (
            actual.shape != expected.shape
            or actual.dtype != expected.dtype
            or not torch.allclose(actual.nan_to_num(), expected.nan_to_num())
        ):
            found.append(number)
    return found
