"""ascontiguousarray, to be on the safe side: it copies transposed arrays and slices.

Fails: test_shared_layouts
Says: ascontiguousarray copies transposed arrays and slices, which torch can share
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    shape = array.shape
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    if not array.flags.writeable:
        array = array.copy()
    return torch.from_numpy(array.reshape(shape))
