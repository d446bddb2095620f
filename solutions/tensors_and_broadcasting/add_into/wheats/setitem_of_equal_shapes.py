"""Assigned after a comparison of the broadcast tensor's shape, through .data."""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    total = a + b
    both, _ = torch.broadcast_tensors(total, out)
    if both.shape != out.shape or not torch.can_cast(total.dtype, out.dtype):
        raise ValueError("a + b does not go into out")
    out.data[...] = both
    return out
