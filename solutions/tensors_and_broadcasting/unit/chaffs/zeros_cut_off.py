"""Fills in 0 wherever x is 0, which cuts these entries off from the gradient.

Fails: test_gradient
Says: entries of 0 get no gradient
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    scaled = x / torch.where(largest == 0, 1.0, largest)
    squares = scaled.square().sum(dim, keepdim=True)
    result = scaled / torch.where(squares == 0, 1.0, squares).sqrt()
    return result.masked_fill(x == 0, 0.0)
