"""Brings both to one dtype before it compares.

Fails: test_dtypes
Says: results are brought to one dtype before they are compared
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
        if actual.shape != expected.shape or not torch.allclose(
            actual.double(), expected.double(), rtol=1e-5, atol=1e-8, equal_nan=True
        ):
            found.append(number)
    return found
