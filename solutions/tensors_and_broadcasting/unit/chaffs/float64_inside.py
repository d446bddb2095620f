"""Computes in float64 and scales nothing.

Fails: test_float64 (values)
Says: float64 is taken for a range without an end
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.double()
    norm = wide.square().sum(dim, keepdim=True)
    norm = torch.where(norm == 0, 1.0, norm).sqrt()
    return (wide / norm).to(x.dtype)
