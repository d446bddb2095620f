"""Knows no window that wraps.

Fails: test_night, test_many_windows
Says: no window wraps
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = (start <= t) & (t < stop)
    return inside if closed is None else inside & (closed == 0)
