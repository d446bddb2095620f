"""Reduces the last dimension, whatever dim says.

Fails: test_dim (values)
Says: dim is not used where a norm is taken
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(-1, keepdim=True)
    y = x / torch.where(largest == 0, 1.0, largest)
    norm = y.norm(dim=-1, keepdim=True)
    return y / torch.where(norm == 0, 1.0, norm)
