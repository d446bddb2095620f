"""torch.asarray, which takes arrays and DLPack objects alike, after a copy where one is needed.

Why: torch.asarray goes by the same conditions as from_numpy, but it takes an array of no dimensions for a number, and copies it. So each
    array gets a dimension of size 1 on its way there.
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.asarray(array)
    whole = all(step >= 0 and not step % array.itemsize for step in array.strides)
    if not (whole and array.flags["WRITEABLE"] and array.dtype.isnative):
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.asarray(array[np.newaxis]).squeeze(0)
