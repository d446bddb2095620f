"""Multiplies the strides of the patch axes by stride, and those of the places by dilation.

Fails: test_values (values), test_dilation
Says: stride and dilation have changed places
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, H, W = x.shape
    *outer, sh, sw = x.stride()
    span = (size - 1) * dilation + 1
    if H < span or W < span:
        raise ValueError("image too small")
    shape = (*batch, (H - span) // stride + 1, (W - span) // stride + 1, size, size)
    return torch.as_strided(x, shape, (*outer, sh * dilation, sw * dilation, sh * stride, sw * stride))
