"""Clones what comes by DLPack.

Fails: test_dlpack (values)
Says: what comes by DLPack is copied, though it can be shared
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array).clone()
    whole = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    if not array.flags.writeable or not array.dtype.isnative or not whole:
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
