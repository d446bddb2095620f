"""The comparison by hand: nan in the same places, and all other numbers within the tolerance."""

import warnings
from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _same(a: Tensor, b: Tensor) -> bool:
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return False
    a, b = a.double(), b.double()
    both_nan = a.isnan() & b.isnan()
    near = (a - b).abs() <= 1e-8 + 1e-5 * b.abs()
    return bool((both_nan | near | (a == b)).all())


def trace_disagreements(
    function: Callable[..., Tensor], example: tuple[Tensor, ...], others: Sequence[tuple[Tensor, ...]]
) -> list[int]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore")
        traced = torch.jit.trace(function, tuple(torch.empty_like(t).copy_(t) for t in example), check_trace=False)
    differing = []
    for number, arguments in enumerate(others):
        right = function(*[t.clone() for t in arguments])
        try:
            recorded = traced(*[t.clone() for t in arguments])
        except Exception:
            differing.append(number)
        else:
            if not _same(recorded, right):
                differing.append(number)
    return differing
