"""Stops when the value changes little.

Fails: test_steps_by_hand, test_values, test_steps
Says: the error is the change of the value, and not what is left of w
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        before, value = value, v @ w
        if (value - before).abs() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
