"""Only the trace gets copies, and gets them first.

Fails: test_untouched
Says: the function writes into the arguments themselves
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
        try:
            actual = traced(*_fresh(arguments))
        except RuntimeError:
            actual = None
        expected = function(*arguments)
        if actual is None or actual.shape != expected.shape or actual.dtype != expected.dtype:
            found.append(number)
        elif not torch.allclose(actual, expected, equal_nan=True):
            found.append(number)
    return found
