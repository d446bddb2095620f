"""Indices that are too large start again from the front.

Fails: test_index_too_large, test_out_of_range
Says: some index that is too large is not refused
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices % values.shape[1]]
