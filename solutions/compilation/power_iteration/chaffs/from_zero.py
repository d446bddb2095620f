"""Counts from 0.

Fails: test_steps_by_hand, test_steps
Says: the steps are counted from 0
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(max_steps):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
