"""Every element by itself, read when it is needed.

Fails: test_overlap (values)
Says: elements are written while others are yet to be read
"""

import itertools

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.result_type(a, b)
    if not torch.can_cast(dtype, out.dtype):
        raise TypeError("out cannot hold the sum")
    if any(size > 1 and stride == 0 for size, stride in zip(out.shape, out.stride())):
        raise ValueError("out is expanded")
    first, second = a.expand(out.shape), b.expand(out.shape)
    for index in itertools.product(*map(range, out.shape)):
        out[index] = first[index].to(dtype) + second[index].to(dtype)
    return out
