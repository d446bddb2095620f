"""Indices that are too large are made to fit.

Fails: test_index_too_large, test_out_of_range
Says: some index that is too large is not refused
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)
    safe = indices.clamp(max=values.shape[1] - 1)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), safe]
