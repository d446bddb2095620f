"""Begins with zeros, which b may be part of.

Fails: test_as_before (values), test_overlap, test_rounded_once
Says: out is written to before everything is read
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    out.zero_()
    out += a
    out += b
    return out
