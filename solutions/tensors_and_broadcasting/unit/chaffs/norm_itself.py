"""Scales for the norm, and then divides x by the norm in its own size.

Fails: test_range (values)
Says: the norm is stored in its own size, where it has few digits or is infinite
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    largest = torch.where(largest == 0, 1.0, largest)
    norm = largest * (x / largest).norm(dim=dim, keepdim=True)
    return x / torch.where(norm == 0, 1.0, norm)
