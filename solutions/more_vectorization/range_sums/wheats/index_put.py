"""index_put with accumulate, and owners found by a binary search."""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    ends = torch.cumsum(stops - starts, 0)
    total = int(ends[-1]) if len(ends) else 0
    counter = torch.arange(total)
    owners = torch.searchsorted(ends, counter, right=True)
    places = stops[owners] - (ends[owners] - counter)
    result = x.new_zeros((len(starts), *x.shape[1:]))
    return result.index_put((owners,), x[places], accumulate=True)
