"""A buffer of torch's default dtype.

Fails: test_every_dtype (dtype), test_exact (dtype)
Says: the result is written into a tensor of the default dtype, float32, whatever the values are
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    result = torch.zeros(*indices.shape, *values.shape[2:], device=values.device)
    result[...] = values[rows, indices]
    return result
