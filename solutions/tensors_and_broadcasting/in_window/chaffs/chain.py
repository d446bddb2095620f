"""Chains the comparisons, in which Python writes and.

Fails: test_day (raised), test_night (raised), test_many_windows, test_ends, test_closed, test_closed_numbers, test_nan_times, test_nan_windows
Costs: 7.5, because every call with more than one element raises an error: nothing is computed.
Says: a chain of comparisons asks for one truth, and there are many elements
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    if (start > stop).all():
        inside = (t >= start) or (t < stop)
    else:
        inside = start <= t < stop
    return inside if closed is None else inside & (closed == 0)
