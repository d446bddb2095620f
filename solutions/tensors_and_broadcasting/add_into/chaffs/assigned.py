"""An assignment strips leading dimensions of size 1.

Fails: test_errors (raised)
Says: out[...] = drops leading dimensions of size 1, so a sum of shape [1, 3] goes into [3]
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    out[...] = a + b
    return out
