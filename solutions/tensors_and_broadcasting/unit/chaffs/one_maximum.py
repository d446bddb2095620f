"""Takes one maximum for the whole tensor.

Fails: test_rows (nan)
Says: all rows are scaled by one maximum
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().max()
    if largest == 0:
        return torch.zeros_like(x)
    y = x / largest
    return y / y.norm(dim=dim, keepdim=True)
