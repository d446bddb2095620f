"""Scales by one maximum of the whole tensor, in float64, which is enough for float32.

Fails: test_rows
Says: all rows are scaled by one number
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.double()
    largest = wide.abs().nan_to_num(0.0).max()
    scaled = wide / torch.where(largest == 0, 1.0, largest)
    squares = scaled.square().sum(dim, keepdim=True)
    return (scaled / torch.where(squares == 0, 1.0, squares).sqrt()).to(x.dtype)
