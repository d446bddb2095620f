"""Writes False at the places of closed, whose shape may be larger.

Fails: test_single (raised)
Says: closed is used as an index of a tensor that it should be broadcast with
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = t >= start, t < stop
    inside = torch.where(start > stop, after | before, after & before)
    if closed is not None:
        inside[closed.bool()] = False
    return inside
