"""Swaps the bytes of the array itself.

Fails: test_byte_order
Says: the bytes of the given array are swapped in place
"""

import numpy as np
import torch
from torch import Tensor


def share(array: "np.ndarray | SupportsDLPack") -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if array.flags.writeable and not array.dtype.isnative:
        return torch.from_numpy(array.byteswap(inplace=True).view(array.dtype.newbyteorder("=")).copy())
    addressable = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    if array.flags.writeable and addressable:
        return torch.from_numpy(array)
    return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), order="C", copy=True))
