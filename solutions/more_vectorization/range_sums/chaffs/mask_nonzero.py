"""The rows of each range from a mask of bools.

Fails: test_memory, test_speed
Says: the mask has a bool for each range and row
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    rows = torch.arange(len(x))
    owners, places = ((rows >= starts[:, None]) & (rows < stops[:, None])).nonzero(as_tuple=True)
    return x.new_zeros(len(starts), *x.shape[1:]).index_add(0, owners, x[places])
