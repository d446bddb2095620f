"""Copies with copy(), which keeps the byte order.

Fails: test_byte_order (raised)
Says: a copy keeps the other byte order, and torch refuses it
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable or any(s < 0 or s % array.itemsize for s in array.strides):
        array = array.copy()
    return torch.from_numpy(array)
