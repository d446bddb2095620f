"""Copies where from_numpy raises an error; for a read-only array it raises none.

Fails: test_read_only (values)
Says: from_numpy raises no error for a read-only array, and the tensor writes into it
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    try:
        if isinstance(array, np.ndarray):
            return torch.from_numpy(array)
        return torch.from_dlpack(array)
    except Exception:
        return torch.from_numpy(np.array(array, dtype=array.dtype.newbyteorder("="), order="C"))
