"""out gets the storage of the sum.

Fails: test_by_hand, test_returned (inputs), test_empty_and_single, test_larger_out, test_strided_out, test_as_before, test_overlap, test_refused_dtypes, test_rounded_once
Costs: all, because nothing is written into the memory of out.
Says: out is given the memory of the sum, and its own memory stays as it was
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    total = (a + b).expand(out.shape).to(out.dtype).contiguous()
    return out.set_(total)
