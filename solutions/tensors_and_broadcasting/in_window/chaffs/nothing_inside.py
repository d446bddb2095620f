"""Says False everywhere.

Fails: test_day, test_night, test_many_windows, test_ends, test_closed, test_closed_numbers, test_nan_times, test_nan_windows, test_single
Costs: all, because nothing is compared.
Says: nothing is ever inside
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    return torch.zeros(torch.broadcast_shapes(t.shape, start.shape, stop.shape), dtype=torch.bool)
