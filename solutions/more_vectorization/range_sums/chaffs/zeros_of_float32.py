"""torch.zeros without a dtype.

Fails: test_float64
Says: the result is made as float32, whatever x is
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    return torch.zeros(len(starts), *x.shape[1:]).index_add(0, owners, x[places])
