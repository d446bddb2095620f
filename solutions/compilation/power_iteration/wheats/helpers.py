"""Two functions beside it, which the compiler finds by itself."""

import torch
from torch import Tensor


def _unit(x: Tensor) -> Tensor:
    return x / x.norm()


def _step(matrix: Tensor, v: Tensor) -> tuple[Tensor, Tensor, float]:
    w = matrix @ v
    value = torch.inner(v, w)
    return w, value, (w - value * v).norm().item()


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v, value, steps = _unit(start), torch.zeros([], dtype=matrix.dtype), max_steps
    for i in range(max_steps):
        w, value, error = _step(matrix, v)
        if error <= tolerance:
            steps = i + 1
            break
        v = _unit(w)
    return value, steps
