"""Begins with the start as it is.

Fails: test_by_hand, test_values
Says: the first v does not have the length 1
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
