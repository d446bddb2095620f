"""A while loop with one return."""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    v = start / torch.sqrt(torch.dot(start, start))
    step = 0
    value = matrix.new_zeros(())
    error = float("inf")
    while error > tolerance and step < max_steps:
        w = torch.mv(matrix, v)
        value = torch.dot(v, w)
        error = float(torch.dist(w, value * v))
        v = w / torch.sqrt(torch.dot(w, w))
        step += 1
    return value, step
