"""Computes the error with the size of the value, which for a negative eigenvalue never becomes small.

Fails: test_sign
Says: the error is computed with the size of the value, so a negative eigenvalue is never found
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value.abs() * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
