"""Uses the else of a for loop.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: a for loop has an else, which the compiler does not know
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    step = 0
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            break
        v = w / w.norm()
    else:
        step = max_steps
    return value, step
