"""Copies read-only arrays and those of another byte order, and forgets the reversed ones.

Fails: test_reversed (raised)
Says: reversed arrays are not copied, and torch refuses them
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable or not array.dtype.isnative or any(s % array.itemsize for s in array.strides):
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
