"""Everything through float32 and back to the dtype.

Fails: test_exact (values)
Says: everything takes a detour through float32, which cannot hold every number of the other dtypes
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)
    wide = values if values.is_complex() else values.to(torch.float32)
    return wide[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices].to(values.dtype)
