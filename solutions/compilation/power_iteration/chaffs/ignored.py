"""Keeps a part from the compiler, which then goes back to Python for it, and no file has room for that.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: a part is left to Python, so the compiled function cannot be saved
"""

import numpy as np
import torch
from torch import Tensor


@torch.jit.ignore
def _error(w: Tensor, value: Tensor, v: Tensor) -> float:
    return float(np.linalg.norm((w - value * v).numpy()))


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if _error(w, value, v) <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
