"""Inside is what is not outside: true for nan.

Fails: test_nan_times, test_nan_windows
Says: not smaller is taken for greater or equal, and for nan neither is true
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = torch.where(start > stop, (t >= start) | (t < stop), ~((t < start) | (t >= stop)))
    return inside if closed is None else inside & (closed == 0)
