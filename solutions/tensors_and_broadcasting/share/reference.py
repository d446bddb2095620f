"""Asks the array for each of torch's conditions, shares where all hold, and copies into native order where one does not.

Why: from_numpy shares whatever torch can address: native numbers whose strides are whole items and not negative. It does not refuse
    read-only memory, so that is asked for as well. astype with copy=True gives an array that can be written into, in native order,
    and with order="C" its strides are positive and whole. The given array is only asked, never changed. What is no array can only
    be shared by DLPack, which has its own conditions.
"""

import numpy as np
import torch
from torch import Tensor


def share(array: "np.ndarray | SupportsDLPack") -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    item = array.dtype.itemsize
    addressable = all(step >= 0 and step % item == 0 for step in array.strides)
    if array.flags.writeable and array.dtype.isnative and addressable:
        return torch.from_numpy(array)
    return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), order="C", copy=True))
