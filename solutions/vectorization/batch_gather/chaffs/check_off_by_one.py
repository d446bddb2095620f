"""A bounds check with > in place of >=.

Fails: test_index_too_large, test_out_of_range
Says: some index that is too large is not refused
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    if (indices > count).any():
        raise IndexError("index out of range")
    rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.flatten(0, 1)[rows * count + indices]
