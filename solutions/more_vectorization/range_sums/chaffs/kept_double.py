"""Adds up in float64, and stays there.

Fails: test_values (dtype)
Says: float32 becomes float64
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    return torch.zeros(len(starts), *x.shape[1:], dtype=torch.float64).index_add(0, owners, x[places].double())
