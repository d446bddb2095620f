"""Multiplies from the other side.

Fails: test_values
Says: v is multiplied with the matrix's columns, not with its rows
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = v @ matrix
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
