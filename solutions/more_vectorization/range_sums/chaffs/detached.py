"""Takes x.detach().

Fails: test_gradients_by_hand (detached), test_gradients (detached)
Says: the sums are cut off from x
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    return x.new_zeros(len(starts), *x.shape[1:]).index_add(0, owners, x.detach()[places])
