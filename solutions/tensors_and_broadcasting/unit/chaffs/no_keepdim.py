"""Leaves keepdim out where the norm is taken.

Fails: test_dim (values), test_rows (raised)
Says: the norm lost its dimension, so it broadcasts along another one
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    y = x / torch.where(largest == 0, 1.0, largest)
    norm = y.norm(dim=dim)
    return y / torch.where(norm == 0, 1.0, norm)
