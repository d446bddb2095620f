"""Takes the size of the steps without their sign: the numbers come in the order of the memory.

Fails: test_reversed (values)
Says: a reversed array comes out in the order of its memory
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    for axis, step in enumerate(array.strides):
        if step < 0:
            array = np.flip(array, axis)
    whole = all(s % array.itemsize == 0 for s in array.strides)
    if not array.flags.writeable or not array.dtype.isnative or not whole:
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
