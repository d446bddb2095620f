"""Refuses a sum that is smaller than out.

Fails: test_larger_out (raised)
Says: a + b must have just the shape of out, although it may be broadcast to it
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    total = a + b
    if total.shape != out.shape:
        raise ValueError("out has another shape")
    return out.copy_(total)
