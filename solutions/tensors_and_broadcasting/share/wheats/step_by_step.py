"""One trouble after the other: each makes a copy, and what is left can be shared."""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if not array.dtype.isnative:
        array = array.byteswap().view(array.dtype.newbyteorder())
    if any(step < 0 for step in array.strides):
        array = array.copy()
    if any(step % array.itemsize for step in array.strides):
        array = array.copy()
    if not array.flags.writeable:
        array = array.copy()
    return torch.from_numpy(array)
