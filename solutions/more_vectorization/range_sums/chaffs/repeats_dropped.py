"""`out[owners] += rows`, which writes each row of a range over the one before.

Fails: test_by_hand, test_values
Says: out[owners] += rows keeps one row of each range
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    result = x.new_zeros(len(starts), *x.shape[1:])
    result[owners] += x[places]
    return result
