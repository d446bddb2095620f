"""Asks whether all windows are without a wrap, and treats all of them alike.

Fails: test_many_windows (values)
Says: one decision is made for all windows
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    if (start > stop).any():
        inside = (t >= start) | (t < stop)
    else:
        inside = (start <= t) & (t < stop)
    return inside if closed is None else inside & (closed == 0)
