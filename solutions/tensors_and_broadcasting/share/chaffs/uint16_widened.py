"""Makes int32 of uint16, as was needed before torch had that dtype.

Fails: test_dtypes (shape), test_shared_dtypes
Says: uint16 is made wider, though torch has that dtype
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if array.dtype == np.uint16:
        array = array.astype(np.int32)
    whole = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    if not array.flags.writeable or not array.dtype.isnative or not whole:
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
