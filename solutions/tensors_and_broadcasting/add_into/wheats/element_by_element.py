"""A loop over the elements, after everything was read and checked."""

import itertools

import torch
from torch import Tensor


def fits(total: Tensor, out: Tensor) -> bool:
    if total.dim() > out.dim():
        return False
    pairs = zip(reversed(total.shape), reversed(out.shape))
    return all(small in (1, large) for small, large in pairs)


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    total = a + b
    if not fits(total, out):
        raise ValueError("wrong shape")
    if any(size > 1 and stride == 0 for size, stride in zip(out.shape, out.stride())):
        raise ValueError("out is expanded")
    if not torch.can_cast(total.dtype, out.dtype):
        raise TypeError("wrong dtype")
    total = total.broadcast_to(out.shape).to(out.dtype)
    for index in itertools.product(*(range(size) for size in out.shape)):
        out[index] = total[index]
    return out
