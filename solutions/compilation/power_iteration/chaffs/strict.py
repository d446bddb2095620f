"""Wants an error below the tolerance.

Fails: test_steps_by_hand
Says: an error that equals the tolerance is not small enough
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() < tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
