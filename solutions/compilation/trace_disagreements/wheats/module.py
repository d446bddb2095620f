"""The function becomes the forward of a module, which is traced."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


class _Module(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    module = _Module(function)
    traced = torch.jit.trace(module, tuple(t.detach().clone() for t in example), check_trace=False)
    found = []
    for i in range(len(others)):
        result = function(*(t.detach().clone() for t in others[i]))
        try:
            recorded = traced(*(t.detach().clone() for t in others[i]))
        except RuntimeError:
            recorded = None
        if recorded is None or recorded.shape != result.shape or recorded.dtype != result.dtype:
            found.append(i)
        elif not torch.allclose(recorded, result, equal_nan=True):
            found.append(i)
    return found
