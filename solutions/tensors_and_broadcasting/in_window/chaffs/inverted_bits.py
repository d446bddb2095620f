"""Inverts closed with ~, which flips the bits of a uint8.

Fails: test_closed (values), test_closed_numbers (values)
Says: ~ flips the bits of an integer: ~1 is 254, which is true
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = t >= start, t < stop
    inside = torch.where(start > stop, after | before, after & before)
    return inside if closed is None else torch.logical_and(inside, ~closed)
