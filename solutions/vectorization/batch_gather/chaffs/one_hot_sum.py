"""A one-hot mask, where, and a sum in the values' dtype: exact, but -0.0 + 0.0 is 0.0.

Fails: test_exact
Says: the entries are chosen by a sum in which all others are 0, and -0.0 + 0.0 is 0.0
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    if (indices >= count).any():
        raise IndexError("index out of range")
    flat = indices.reshape(batch, math.prod(indices.shape[1:]), 1, 1)
    entries = values.reshape(batch, 1, count, math.prod(rest))
    chosen = flat == torch.arange(count, device=indices.device)[:, None]
    picked = torch.where(chosen, entries, torch.zeros((), dtype=values.dtype, device=values.device))
    return picked.sum(dim=2, dtype=values.dtype).reshape(*indices.shape, *rest)
