"""The answer that one is often given: copies what is read-only or reversed, and trusts the rest to from_numpy.

Fails: test_byte_order, test_fields, test_dlpack
Says: only two of the conditions are looked at: read-only, and reversed
"""

import torch
from torch import Tensor


def share(array) -> Tensor:
    if not array.flags.writeable or any(stride < 0 for stride in array.strides):
        array = array.copy()
    return torch.from_numpy(array)
