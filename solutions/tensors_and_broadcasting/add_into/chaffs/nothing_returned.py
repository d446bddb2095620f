"""Forgets to return out.

Fails: test_returned
Says: nothing is returned
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    out.copy_(a + b)
