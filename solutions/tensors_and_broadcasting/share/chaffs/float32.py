"""Makes float32 of everything, as torch's own default is.

Fails: test_dtypes (dtype), test_shared_dtypes
Says: every array becomes float32
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    array = array.astype(np.float32, copy=False)
    if not array.flags.writeable or any(s < 0 or s % array.itemsize for s in array.strides):
        array = array.copy()
    return torch.from_numpy(array)
