"""embedding_bag: x is the table, each range is a bag of row numbers."""

import torch
import torch.nn.functional as F
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    if not len(starts):
        return x[:0]
    table = x.view(len(x), -1)
    return F.embedding_bag(places, table, before, mode="sum").view(len(starts), *x.shape[1:])
