"""Takes everything for a NumPy array.

Fails: test_dlpack (raised)
Says: objects that are no NumPy arrays are not thought of
"""

import torch
from torch import Tensor


def share(array) -> Tensor:
    whole = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    if not array.flags.writeable or not array.dtype.isnative or not whole:
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
