"""Scales the start in place.

Fails: test_inputs_untouched
Says: start is scaled in place
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start.div_(start.norm())
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
