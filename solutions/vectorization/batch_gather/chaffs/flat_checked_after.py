"""A flat index whose bounds are checked after the offset was added.

Fails: test_index_too_large, test_out_of_range
Says: some index that is too large is not refused
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    flat = rows * count + indices
    if (flat >= batch * count).any():
        raise IndexError("index out of range")
    return values.flatten(0, 1)[flat]
