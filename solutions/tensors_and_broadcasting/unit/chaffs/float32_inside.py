"""Computes in float32, whatever came.

Fails: test_float64 (nan)
Says: float64 is computed in float32
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    y = x.float()
    largest = y.abs().amax(dim, keepdim=True)
    y = y / torch.where(largest == 0, 1.0, largest)
    norm = y.norm(dim=dim, keepdim=True)
    return (y / torch.where(norm == 0, 1.0, norm)).to(x.dtype)
