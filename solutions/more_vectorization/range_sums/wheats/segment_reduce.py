"""The rows of all ranges side by side, and segment_reduce, which takes lengths."""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    if len(starts) == 0:
        return torch.empty_like(x[:0])
    return torch.segment_reduce(x[places], "sum", lengths=lengths, initial=0)
