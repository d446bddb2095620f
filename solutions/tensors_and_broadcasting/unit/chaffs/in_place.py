"""Writes the scaled entries into x.

Fails: test_gradient (raised), test_gradient_sizes (raised), test_inputs_untouched
Says: x is overwritten
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    x /= torch.where(largest == 0, 1.0, largest)
    norm = x.norm(dim=dim, keepdim=True)
    return x / torch.where(norm == 0, 1.0, norm)
