"""A window that wraps is everything but a gap, and nan is taken out by name."""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    known = ~(torch.isnan(t) | torch.isnan(start) | torch.isnan(stop))
    wraps = start > stop
    gap = (t >= stop) & (t < start)
    inside = torch.where(wraps, ~gap, (t >= start) & (t < stop)) & known
    return inside if closed is None else torch.where(closed.bool(), False, inside)
