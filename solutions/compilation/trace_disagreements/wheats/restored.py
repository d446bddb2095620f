"""No clones for the calls: what was written is written back, from copies that were made first."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _restore(tensors, saved):
    for tensor, before in zip(tensors, saved, strict=True):
        tensor.copy_(before)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    saved = [t.clone() for t in example]
    traced = torch.jit.trace(function, example, check_trace=False)
    _restore(example, saved)
    found = []
    for number, arguments in enumerate(others):
        saved = [t.clone() for t in arguments]
        expected = function(*arguments).clone()
        _restore(arguments, saved)
        try:
            actual = traced(*arguments).clone()
        except RuntimeError:
            actual = None
        _restore(arguments, saved)
        if actual is None or actual.shape != expected.shape or actual.dtype != expected.dtype:
            found.append(number)
        elif not torch.allclose(actual, expected, equal_nan=True):
            found.append(number)
    return found
