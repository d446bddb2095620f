"""Divides each row by its largest entry, then by the norm of what is left.

Why: after the first division the largest entry of a row is 1 or -1, so the sum of the squares lies between 1 and the number of
    entries, in any dtype. The norm itself is never made: for a row of 1e-42 it would have three digits, and for a row of 1e38 it may
    be infinite. A row of zeros is divided by 1, twice; each choice is made before the division, so that no 0 / 0 goes backward.
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    scaled = x / torch.where(largest == 0, 1.0, largest)
    squares = scaled.square().sum(dim, keepdim=True)
    return scaled / torch.where(squares == 0, 1.0, squares).sqrt()
