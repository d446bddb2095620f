"""The error from two lengths: w has one part along v, and one across."""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.tensor(0.0, dtype=torch.float64)
    steps = 0
    for i in range(max_steps):
        w = matrix @ v
        value = (v * w).sum()
        steps = i + 1
        across = (w * w).sum() - value * value
        if float(across.clamp(min=0.0).sqrt()) <= tolerance:
            break
        v = w / w.norm()
    return value, steps
