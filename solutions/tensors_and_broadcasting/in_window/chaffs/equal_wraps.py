"""Takes start == stop for a window that wraps.

Fails: test_ends
Says: a window with start == stop is taken for the whole day
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = t >= start, t < stop
    inside = torch.where(start >= stop, after | before, after & before)
    return inside if closed is None else inside & (closed == 0)
