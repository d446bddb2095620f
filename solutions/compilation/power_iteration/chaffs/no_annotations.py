"""Leaves the types out, so that each argument is a tensor to the compiler.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: the arguments have no types, and the compiler takes each for a tensor
"""

import torch
from torch import Tensor


def power_iteration(matrix, start, tolerance, max_steps):
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
