"""Works out the strides from the shape, as if x were contiguous.

Fails: test_strides, test_gradients
Says: strides are worked out from the shape, and those of a transposed or sliced image are others
"""

import math

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, H, W = x.shape
    span = (size - 1) * dilation + 1
    if H < span or W < span:
        raise ValueError("image too small")
    outer = [math.prod(x.shape[d + 1 :]) for d in range(len(batch))]
    shape = (*batch, (H - span) // stride + 1, (W - span) // stride + 1, size, size)
    return torch.as_strided(x, shape, (*outer, W * stride, stride, W * dilation, dilation))
