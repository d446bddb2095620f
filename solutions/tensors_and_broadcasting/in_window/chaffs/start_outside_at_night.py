"""Leaves the start out where the window wraps.

Fails: test_night
Says: start is not inside where the window wraps
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = torch.where(start > stop, (t > start) | (t < stop), (t >= start) & (t < stop))
    return inside if closed is None else inside & (closed == 0)
