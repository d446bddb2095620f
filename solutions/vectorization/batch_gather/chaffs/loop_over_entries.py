"""A loop over the N entries, with torch.where: every entry is put wherever it is wanted.

Fails: test_operations
Says: there is a loop over entries or indices, one after the other
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    if (indices >= count).any():
        raise IndexError("index out of range")
    at = indices.reshape(*indices.shape, *[1] * len(rest))
    entry_shape = (batch, *[1] * (indices.dim() - 1), *rest)
    result = torch.zeros(*indices.shape, *rest, dtype=values.dtype, device=values.device)
    for n in range(count):
        result = torch.where(at == n, values[:, n].reshape(entry_shape), result)
    return result
