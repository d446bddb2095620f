"""Asks the owners how many ranges there are: empty ones at the end have no rows.

Fails: test_empty
Says: the number of ranges is taken from the last one that is not empty
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    count = int(owners.max()) + 1
    return x.new_zeros(count, *x.shape[1:]).index_add(0, owners, x[places])
