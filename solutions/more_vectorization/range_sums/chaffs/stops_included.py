"""Counts the row at the end as well.

Fails: test_by_hand, test_values, test_empty, test_nan_by_hand (nan), test_gradients_by_hand
Costs: 4.5, because empty ranges are not empty, and the public checks are about single rows.
Says: the row at stops is counted, and a range ends before it
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    stops = (stops + 1).clamp(max=len(x))
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    return x.new_zeros(len(starts), *x.shape[1:]).index_add(0, owners, x[places])
