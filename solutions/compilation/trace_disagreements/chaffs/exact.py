"""Every bit has to be equal.

Fails: test_tolerance
Says: rounding counts as a difference
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
            or not ((actual == expected) | (actual.isnan() & expected.isnan())).all()
        ):
            found.append(number)
    return found
