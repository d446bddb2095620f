"""Leaves the brackets out, and & binds more tightly than <=.

Fails: test_day, test_night, test_many_windows, test_ends, test_closed, test_closed_numbers, test_nan_times, test_nan_windows, test_single
Costs: all, because every call raises an error: nothing is computed.
Says: & binds more tightly than the comparisons beside it
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    inside = torch.where(start > stop, t >= start | t < stop, start <= t & t < stop)
    return inside if closed is None else inside & (closed == 0)
