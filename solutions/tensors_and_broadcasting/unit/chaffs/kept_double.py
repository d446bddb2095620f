"""Computes in float64, and forgets to go back.

Fails: test_float64 (dtype)
Says: the result is still float64 where x was float32
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    x = x.double()
    largest = x.abs().amax(dim, keepdim=True)
    y = x / torch.where(largest == 0, 1.0, largest)
    norm = y.norm(dim=dim, keepdim=True)
    return y / torch.where(norm == 0, 1.0, norm)
