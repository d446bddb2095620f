"""Asks with if whether the window wraps.

Fails: test_many_windows (raised)
Says: if asks for one truth, and there are many windows
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    if start <= stop:
        inside = (start <= t) & (t < stop)
    else:
        inside = ((t >= start) | (t < stop)) & ~start.isnan() & ~stop.isnan()
    return inside if closed is None else inside & (closed == 0)
