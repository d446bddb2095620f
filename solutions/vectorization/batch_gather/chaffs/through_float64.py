"""Everything through float64, which no int64 above 2**53 survives.

Fails: test_exact (values)
Says: everything takes a detour through float64, which cannot hold every int64
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)
    wide = values if values.is_complex() else values.to(torch.float64)
    return wide[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices].to(values.dtype)
