"""A window that wraps is what is not in the gap: true for nan.

Fails: test_nan_times
Says: a window that wraps is made by ~ from its gap, and a nan is not in the gap
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = torch.where(start > stop, ~((t >= stop) & (t < start)), (t >= start) & (t < stop))
    return inside if closed is None else inside & (closed == 0)
