"""Looks for negative steps, and not for steps of odd sizes.

Fails: test_fields
Says: a step that is not a multiple of the item size is not thought of
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable or not array.dtype.isnative or any(s < 0 for s in array.strides):
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
