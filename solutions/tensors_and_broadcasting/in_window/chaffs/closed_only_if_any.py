"""Leaves closed out where it closes nothing, and its shape with it.

Fails: test_single (shape)
Says: closed is left out, and its shape with it, where it closes nothing
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    plain = (t >= start) & (t < stop)
    wrapped = ((t >= start) | (t < stop)) & (start > stop)
    inside = plain | wrapped
    if closed is not None and closed.any():
        inside = inside & (closed == 0)
    return inside
