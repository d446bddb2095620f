"""Stacks the comparisons, and squeezes the result.

Fails: test_single (shape)
Says: squeeze drops dimensions of size 1 that belong to the result
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    both = torch.stack(torch.broadcast_tensors(t >= start, t < stop))
    inside = torch.where(start > stop, both.any(dim=0), both.all(dim=0))
    if closed is not None:
        inside = inside & (closed == 0)
    return inside.squeeze()
