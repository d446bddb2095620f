"""Takes "=" for the only native byte order; for numbers of one byte it is "|".

Fails: test_shared_dtypes
Says: some dtypes are copied though their byte order is native: dtype.isnative says so
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    whole = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    if array.dtype.byteorder != "=" or not whole or not array.flags.writeable:
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
