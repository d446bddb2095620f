"""Divides 0 by 0, and makes a 0 of each nan.

Fails: test_zero (values), test_nan
Says: each nan is turned into a number, also one that came in
"""

from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    y = (x / x.abs().amax(dim, keepdim=True)).nan_to_num(0.0)
    return (y / y.norm(dim=dim, keepdim=True)).nan_to_num(0.0)
