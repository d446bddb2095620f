"""Trusts vector_norm, which squares as well.

Fails: test_range, test_float64, test_gradient_sizes
Says: entries are squared as they are, large or small
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    norm = torch.linalg.vector_norm(x, dim=dim, keepdim=True)
    return x / torch.where(norm == 0, 1.0, norm)
