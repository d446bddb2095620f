"""The trace is saved and loaded, as it would be used; nothing of the function is left in it."""

import io
from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _fresh(arguments):
    return tuple(argument.clone() for argument in arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.trace(function, _fresh(example), check_trace=False), buffer)
    buffer.seek(0)
    traced = torch.jit.load(buffer)
    found = set()
    for number, arguments in enumerate(others):
        expected = function(*_fresh(arguments))
        try:
            actual = traced(*_fresh(arguments))
        except RuntimeError:
            found.add(number)
        else:
            if actual.shape != expected.shape or actual.dtype != expected.dtype:
                found.add(number)
            elif not torch.isclose(actual, expected, rtol=1e-5, atol=1e-8, equal_nan=True).all():
                found.add(number)
    return sorted(found)
