"""Goes through a nested list: a copy, and whole numbers and doubles become torch's defaults.

Fails: test_shared, test_dtypes (dtype), test_shared_dtypes, test_shared_layouts
Costs: 3, because two things are lost: the memory, and the dtype.
Says: the numbers go through a list, which keeps neither the memory nor the dtype
"""

import numpy as np
import torch
from torch import Tensor


def share(array) -> Tensor:
    if isinstance(array, np.ndarray):
        return torch.tensor(array.tolist())
    return torch.from_dlpack(array)
