"""Types in a comment, as TorchScript took them at first."""

from typing import Tuple

import torch
from torch import Tensor


def power_iteration(matrix, start, tolerance, max_steps):
    # type: (Tensor, Tensor, float, int) -> Tuple[Tensor, int]
    v = start / start.norm()
    value = torch.zeros_like(v[0])
    for step in range(1, max_steps + 1):
        w = matrix @ v
        value = v @ w
        if (w - value * v).norm() <= tolerance:
            return value, step
        v = w / w.norm()
    return value, max_steps
