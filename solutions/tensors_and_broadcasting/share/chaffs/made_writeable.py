"""Makes a read-only array writeable, so that torch no longer warns.

Fails: test_read_only (inputs)
Says: the array's flag is changed so that it can be written into
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable:
        array.flags.writeable = True
    try:
        return torch.from_numpy(array)
    except (ValueError, TypeError):
        return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), order="C"))
