"""Has no number of steps where there was no success.

Fails: test_limit, test_scripted, test_scripted_counts, test_scripted_limit
Costs: 4, because a type that depends on the path is both the wrong answer at the limit and what a compiler refuses.
Says: the number of steps is an int on one path and None on the other
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, None
