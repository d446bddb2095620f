"""A helper for one axis, which is used twice, and movedim."""

import torch
from torch import Tensor


def _windows(x: Tensor, dim: int, size: int, stride: int, dilation: int) -> Tensor:
    count = 1 + (x.shape[dim] - 1 - dilation * (size - 1)) // stride
    if count <= 0:
        raise ValueError(f"{x.shape[dim]} pixels are too few for a patch")
    shape, strides = list(x.shape), list(x.stride())
    step = strides[dim]
    shape[dim], strides[dim] = count, step * stride
    return torch.as_strided(x, [*shape, size], [*strides, step * dilation])


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    dim = x.dim()
    rows = _windows(x, dim - 2, size, stride, dilation)
    both = _windows(rows, dim - 1, size, stride, dilation)
    return both.movedim(-2, -2)
