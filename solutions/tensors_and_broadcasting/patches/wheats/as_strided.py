"""One as_strided, whose strides are multiples of those of x.

Why: a step from patch to patch is `stride` steps of the image, and a step inside a patch is `dilation` of them. So both pairs of
    strides are x's own, multiplied, whatever x is a view of. The storage offset is x's own, too, if none is given. Nothing stops a
    window that is too large, hence the check.
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, height, width = x.shape
    *outer, down, right = x.stride()
    reach = (size - 1) * dilation + 1
    if height < reach or width < reach:
        raise ValueError(f"a patch needs {reach} rows and columns, the image has {height} and {width}")
    rows = (height - reach) // stride + 1
    columns = (width - reach) // stride + 1
    shape = (*batch, rows, columns, size, size)
    strides = (*outer, stride * down, stride * right, dilation * down, dilation * right)
    return torch.as_strided(x, shape, strides)
