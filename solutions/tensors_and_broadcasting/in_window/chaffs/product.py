"""Multiplies floats, and returns them.

Fails: test_dtype
Says: the result is made of numbers instead of bool
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = (t >= start).float(), (t < stop).float()
    inside = torch.where(start > stop, (after + before).clamp(max=1), after * before)
    return inside if closed is None else inside * (closed == 0)
