"""Stops at the first that differs.

Fails: test_branch, test_control_flow
Says: the search stops at the first that differs
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
            return [number]
        if (
            actual.shape != expected.shape
            or actual.dtype != expected.dtype
            or not torch.allclose(actual, expected, rtol=1e-5, atol=1e-8, equal_nan=True)
        ):
            return [number]
    return found
