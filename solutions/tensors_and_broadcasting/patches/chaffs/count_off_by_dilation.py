"""Counts as if a dilated patch reached over size * dilation pixels.

Fails: test_dilation (shape)
Says: a dilated patch is taken to be longer than it is, and patches are missing
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, H, W = x.shape
    *outer, sh, sw = x.stride()
    rows = (H - size * dilation) // stride + 1
    columns = (W - size * dilation) // stride + 1
    if rows < 1 or columns < 1:
        raise ValueError("image too small")
    strides = (*outer, sh * stride, sw * stride, sh * dilation, sw * dilation)
    return torch.as_strided(x, (*batch, rows, columns, size, size), strides)
