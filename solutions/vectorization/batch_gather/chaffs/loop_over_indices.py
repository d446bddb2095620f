"""Vectorised over the examples, with a loop over the indices: quick where these are few.

Fails: test_operations
Says: there is a loop over entries or indices, one after the other
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(values.shape[0], device=values.device)
    flat = indices.reshape(len(indices), indices[:1].numel())
    columns = [values[rows, flat[:, j]] for j in range(flat.shape[1])]
    if not columns:
        return values.new_zeros(indices.shape + values.shape[2:])
    return torch.stack(columns, dim=1).reshape(indices.shape + values.shape[2:])
