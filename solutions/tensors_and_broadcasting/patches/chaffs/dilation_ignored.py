"""Leaves the dilation out.

Fails: test_dilation, test_too_small
Says: dilation is not used
"""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    return x.unfold(-2, size, stride).unfold(-2, size, stride)
