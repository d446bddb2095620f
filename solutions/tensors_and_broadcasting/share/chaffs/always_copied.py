"""torch.tensor: a copy of every array.

Fails: test_shared, test_shared_dtypes, test_shared_layouts, test_dlpack
Says: torch.tensor always copies
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if not isinstance(array, np.ndarray):
        array = np.from_dlpack(array)
    return torch.tensor(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).reshape(array.shape))
