"""Views the bytes of the other order as native numbers.

Fails: test_byte_order (values)
Says: view keeps the bytes and changes the numbers
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    array = array.view(array.dtype.newbyteorder("="))
    if not array.flags.writeable or any(s < 0 or s % array.itemsize for s in array.strides):
        array = array.copy()
    return torch.from_numpy(array)
