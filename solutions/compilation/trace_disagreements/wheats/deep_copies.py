"""Deep copies, and one helper that answers for one tuple of arguments."""

import copy
from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _agrees(function, traced, arguments) -> bool:
    one, two = copy.deepcopy(arguments), copy.deepcopy(arguments)
    result = function(*one)
    try:
        recorded = traced(*two)
    except Exception:
        return False
    if recorded.dtype is not result.dtype or recorded.size() != result.size():
        return False
    return bool(torch.isclose(recorded, result, equal_nan=True).all())


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    traced = torch.jit.trace(function, copy.deepcopy(tuple(example)), check_trace=False)
    return [number for number, arguments in enumerate(others) if not _agrees(function, traced, arguments)]
