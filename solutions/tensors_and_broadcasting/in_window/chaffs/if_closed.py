"""Asks with if not closed.

Fails: test_closed (raised), test_closed_numbers (raised), test_single (raised)
Says: not asks for one truth, and closed has many elements
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = t >= start, t < stop
    inside = torch.where(start > stop, after | before, after & before)
    if closed is None or not closed:
        return inside
    return torch.zeros_like(inside)
