"""Turns closed into uint8, where 256 becomes 0.

Fails: test_closed_numbers
Says: closed is turned into a dtype that has no room for its numbers
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    plain = (t >= start) & (t < stop)
    wrapped = ((t >= start) | (t < stop)) & (start > stop)
    inside = plain | wrapped
    return inside if closed is None else inside & (closed.to(torch.uint8) == 0)
