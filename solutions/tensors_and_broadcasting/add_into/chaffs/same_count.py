"""The sum is reshaped, so that equal counts are enough.

Fails: test_errors (raised), test_larger_out
Says: the sum is reshaped to the shape of out, although equal counts are not equal shapes
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    return out.copy_((a + b).reshape(out.shape))
