"""Detaches the norm.

Fails: test_gradient (values), test_gradient_sizes (values)
Says: the norm is a constant for autograd
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    with torch.no_grad():
        largest = x.abs().amax(dim, keepdim=True)
        largest = torch.where(largest == 0, 1.0, largest)
        norm = (x / largest).norm(dim=dim, keepdim=True)
        norm = torch.where(norm == 0, 1.0, norm)
    return x / largest / norm
