"""A buffer on the CPU is filled and returned.

Fails: test_device
Says: something is made without `device=`, and so on the CPU, wherever the inputs are
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    result = torch.empty(*indices.shape, *values.shape[2:], dtype=values.dtype)
    result[...] = values[rows, indices]
    return result
