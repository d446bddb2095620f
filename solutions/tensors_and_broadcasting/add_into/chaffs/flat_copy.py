"""out is written through reshape(-1), which copies what is not contiguous.

Fails: test_strided_out (values), test_as_before (raised)
Says: the sum is written into a copy of out, which reshape or contiguous makes where out is not contiguous
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    out.reshape(-1)[:] = (a + b).expand(out.shape).reshape(-1)
    return out
