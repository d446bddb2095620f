"""as_strided over the memory as if it were contiguous.

Fails: test_memory_layout (values)
Says: the memory is read as if it were contiguous
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    if (indices >= count).any():
        raise IndexError("index out of range")
    size = math.prod(rest)
    table = torch.as_strided(values, (batch * count, size), (size, 1)) if batch else values.reshape(0, size)
    rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return table[rows * count + indices].reshape(*indices.shape, *rest)
