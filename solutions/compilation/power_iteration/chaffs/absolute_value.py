"""Takes the length of w for the value.

Fails: test_by_hand, test_values, test_sign, test_limit
Costs: 4, because no value of a step on the way is right, and none of a negative eigenvalue.
Says: the value is the length of w, which is never negative and right at the end only
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = w.norm()
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
