"""Returns from within an endless loop, of which the compiler does not know that it is one.

Fails: test_scripted, test_scripted_counts, test_scripted_limit
Says: the only return is inside an endless loop, and the compiler sees a path past it
"""

import torch
from torch import Tensor


def power_iteration(matrix: Tensor, start: Tensor, tolerance: float, max_steps: int) -> tuple[Tensor, int]:
    w = start
    step = 0
    while True:
        step += 1
        v = w / w.norm(2)
        w = torch.einsum("ij,j->i", matrix, v)
        value = torch.einsum("i,i->", v, w)
        if step == max_steps or (w - value * v).norm(2).item() <= tolerance:
            return value, step
