"""Returns a view of out.

Fails: test_returned
Says: what is returned is a view of out, and not out itself
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    out.copy_(a + b)
    return out[...]
