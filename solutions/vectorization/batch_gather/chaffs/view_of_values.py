"""view, which wants contiguous values.

Fails: test_memory_layout (raised)
Says: `view` wants values that are contiguous in memory
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    if (indices >= count).any():
        raise IndexError("index out of range")
    rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.view(batch * count, math.prod(rest))[rows * count + indices].reshape(*indices.shape, *rest)
