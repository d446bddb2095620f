"""DLPack for everything that is shared, and negative steps never get there.

Why: from_dlpack needs no look at the type of its argument. It must never see a negative step, at which torch ends the process, so those
    are found before it is called.
"""

import numpy as np
import torch
from torch import Tensor


def _must_be_copied(array: np.ndarray) -> bool:
    if not array.flags.writeable or not array.dtype.isnative:
        return True
    return min(array.strides, default=0) < 0 or any(step % array.itemsize for step in array.strides)


def share(array) -> Tensor:
    if isinstance(array, np.ndarray) and _must_be_copied(array):
        fresh = np.empty(array.shape, dtype=array.dtype.newbyteorder("="))
        fresh[...] = array
        array = fresh
    return torch.from_dlpack(array)
