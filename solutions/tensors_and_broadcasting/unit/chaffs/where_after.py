"""Chooses after the division: 0 times nan, going backward.

Fails: test_zero (values)
Says: 0 / 0 is computed and then thrown away, and comes back in the gradient
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    y = x / largest
    y = y / y.norm(dim=dim, keepdim=True)
    return torch.where(largest == 0, 0.0, y)
