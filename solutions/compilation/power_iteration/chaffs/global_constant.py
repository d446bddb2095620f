"""Takes a number from outside of the function.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: a number from outside of the function is used in it
"""

import torch
from torch import Tensor

FIRST = 1


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(FIRST, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
