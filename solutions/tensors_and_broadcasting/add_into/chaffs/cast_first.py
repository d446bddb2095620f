"""a and b are cast to the dtype of out before they are added.

Fails: test_rounded_once (values)
Says: a and b are cast to the dtype of out before they are added, so each is rounded
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    return out.copy_(a.to(out.dtype) + b.to(out.dtype))
