"""Computes with NumPy.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: NumPy does the computing, and the compiler does not know it
"""

import numpy as np
import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    a, v = matrix.numpy(), start.numpy()
    v = v / np.linalg.norm(v)
    value = 0.0
    for step in range(1, max_steps + 1):
        w = a @ v
        value = v @ w
        if np.linalg.norm(w - value * v) <= tolerance:
            return torch.tensor(value, dtype=matrix.dtype), step
        v = w / np.linalg.norm(w)
    return torch.tensor(value, dtype=matrix.dtype), max_steps
