"""Rows of numbers, and no others.

Fails: test_values
Says: rows are supposed to have one dimension
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    index = owners.unsqueeze(1).expand(-1, x.shape[1])
    return x.new_zeros(len(starts), x.shape[1]).scatter_add(0, index, x[places])
