"""from_dlpack for all that can be written into: torch 2.13 ends the process at a reversed array.

Fails: test_reversed (died)
Says: from_dlpack gets a reversed array, which ends the process
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if isinstance(array, np.ndarray):
        whole = all(s % array.itemsize == 0 for s in array.strides)
        if not array.flags.writeable or not array.dtype.isnative or not whole:
            array = array.astype(array.dtype.newbyteorder("="), order="C")
    return torch.from_dlpack(array)
