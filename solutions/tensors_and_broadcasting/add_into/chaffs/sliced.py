"""A slice wants one dimension at least (and an assignment strips dimensions).

Fails: test_errors (raised), test_empty_and_single
Says: out[:] wants at least one dimension
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    out[:] = a + b
    return out
