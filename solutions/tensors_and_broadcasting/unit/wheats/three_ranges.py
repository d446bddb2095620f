"""Multiplies small rows by a large constant and large ones by a small constant, as BLAS does."""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    if x.dtype == torch.float64:
        limit, up, down = 1e120, 2.0**600, 2.0**-600
    else:
        limit, up, down = 1e15, 2.0**100, 2.0**-70
    largest = x.detach().abs().amax(dim, keepdim=True)
    factor = torch.ones_like(largest)
    factor[largest > limit] = down
    factor[largest < 1 / limit] = up
    y = x * factor
    total = (y**2).sum(dim, keepdim=True)
    return y * torch.where(total == 0, 1.0, total).rsqrt()
