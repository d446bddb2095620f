"""Returns the value as a number of Python.

Fails: test_types, test_scripted, test_scripted_counts, test_scripted_limit
Costs: 3.5, because the types of the result are what both the caller and the compiler go by.
Says: the value is a number of Python, and the signature says Tensor
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
            return value.item(), step
        v = w / w.norm()
    return value.item(), max_steps
