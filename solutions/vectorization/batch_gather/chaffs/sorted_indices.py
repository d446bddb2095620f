"""Sorted indices, for the cache's sake, and never put back into their order.

Fails: test_by_hand (values), test_vectors (values), test_combinations (values)
Says: the result's entries are in another order than the indices: they were sorted, or dimensions are exchanged
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    flat = indices.reshape(len(indices), indices[:1].numel()).sort(dim=1).values
    rows = torch.arange(len(values), device=values.device)[:, None]
    return values[rows, flat].reshape(indices.shape + values.shape[2:])
