"""Raises an error for read-only arrays.

Fails: test_read_only (raised)
Says: a read-only array is refused, where a copy was asked for
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable:
        raise ValueError("the array is read-only")
    try:
        return torch.from_numpy(array)
    except (ValueError, TypeError):
        return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), order="C"))
