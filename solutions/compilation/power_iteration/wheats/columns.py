"""Vectors as matrices of one column, and a value that loses both dimensions at the end."""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = (start / torch.linalg.norm(start)).unsqueeze(1)
    value = torch.zeros(1, 1, dtype=start.dtype)
    count = 0
    done = False
    while count < max_steps and not done:
        count += 1
        w = torch.matmul(matrix, v)
        value = torch.matmul(v.t(), w)
        done = bool(torch.linalg.norm(w - v * value) <= tolerance)
        v = torch.nn.functional.normalize(w, dim=0)
    return value.squeeze(), count
