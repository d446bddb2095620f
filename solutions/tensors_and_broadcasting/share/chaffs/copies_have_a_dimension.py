"""Copies with ascontiguousarray, which gives an array of no dimensions one.

Fails: test_byte_order (shape)
Says: a copy of an array of no dimensions gets a dimension
"""

import numpy as np
import torch
from torch import Tensor


def share(array: "np.ndarray | SupportsDLPack") -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    addressable = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    if array.flags.writeable and array.dtype.isnative and addressable:
        return torch.from_numpy(array)
    return torch.from_numpy(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")))
