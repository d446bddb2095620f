"""Broadcasts first, and overwrites the elements that wrap and those that are closed."""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    if closed is None:
        closed = torch.zeros((), dtype=torch.bool)
    t, start, stop, closed = torch.broadcast_tensors(t, start, stop, closed)
    inside = (start <= t) & (t < stop)
    wraps = start > stop
    inside[wraps] = (t[wraps] >= start[wraps]) | (t[wraps] < stop[wraps])
    inside[closed != 0] = False
    return inside
