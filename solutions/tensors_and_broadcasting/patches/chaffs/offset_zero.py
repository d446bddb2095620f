"""Gives as_strided the offset 0.

Fails: test_offset
Says: the patches are read from the beginning of the memory, and a slice starts elsewhere
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
    return torch.as_strided(x, shape, (*outer, sh * stride, sw * stride, sh * dilation, sw * dilation), 0)
