"""as_strided without a look at the sizes: an image too small gives no patches, and no error.

Fails: test_too_small (raised)
Says: nothing notices an image that is too small
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, H, W = x.shape
    *outer, sh, sw = x.stride()
    span = (size - 1) * dilation + 1
    shape = (*batch, (H - span) // stride + 1, (W - span) // stride + 1, size, size)
    return torch.as_strided(x, shape, (*outer, sh * stride, sw * stride, sh * dilation, sw * dilation))
