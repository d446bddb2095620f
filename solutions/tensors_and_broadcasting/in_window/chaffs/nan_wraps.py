"""Asks start <= stop, and takes nan for a window that wraps.

Fails: test_nan_windows
Says: a window with a nan is taken for one that wraps
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = torch.where(start <= stop, (t >= start) & (t < stop), (t >= start) | (t < stop))
    return inside if closed is None else inside & (closed == 0)
