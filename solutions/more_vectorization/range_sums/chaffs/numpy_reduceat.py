"""NumPy's reduceat for the rows of all ranges, which gives the row after it for an empty range; with a gradient of its own.

Fails: test_empty
Says: reduceat gives one row for an empty range
"""

import numpy as np
import torch
from torch import Tensor


class RangeSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, owners, places, before):
        ctx.save_for_backward(owners, places)
        ctx.size = x.shape
        if not len(before):
            return x[:0].clone()
        rows = torch.cat([x[places], torch.zeros_like(x[:1])])
        return torch.from_numpy(np.add.reduceat(rows.numpy(), before.numpy(), axis=0))

    @staticmethod
    def backward(ctx, gradient):
        owners, places = ctx.saved_tensors
        return gradient.new_zeros(ctx.size).index_add(0, places, gradient[owners]), None, None, None


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    lengths = stops - starts
    owners = torch.repeat_interleave(torch.arange(len(starts)), lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(len(owners)) + (starts - before)[owners]
    return RangeSums.apply(x, owners, places, before)
