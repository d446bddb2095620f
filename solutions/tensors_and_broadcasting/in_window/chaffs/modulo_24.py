"""Reckons in hours of a day, modulo 24.

Fails: test_many_windows
Says: numbers are reduced to hours of a day
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = (t - start) % 24 < (stop - start) % 24
    return inside if closed is None else inside & (closed == 0)
