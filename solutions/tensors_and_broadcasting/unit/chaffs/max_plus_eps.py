"""Adds 1e-30 to the maximum and to the norm, against 0 / 0.

Fails: test_float64 (values), test_zero (values)
Says: a small number is added, which is large beside the smallest entries, and has an infinite reciprocal squared
"""

from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    y = x / (x.abs().amax(dim, keepdim=True) + 1e-30)
    return y / (y.norm(dim=dim, keepdim=True) + 1e-30)
