"""torch.testing.assert_close compares shape, dtype and values, and says no by an error."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.trace(function, _fresh(example))
    found = []
    for number, arguments in enumerate(others):
        expected = function(*_fresh(arguments))
        try:
            actual = traced(*_fresh(arguments))
            torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-8, equal_nan=True)
        except (RuntimeError, AssertionError):
            found.append(number)
    return found
