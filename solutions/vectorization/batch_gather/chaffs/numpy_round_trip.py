"""NumPy's indexing, which autograd does not see.

Fails: test_every_dtype, test_exact, test_gradient
Says: the work is done by NumPy, which autograd does not see and which has no bfloat16
"""

import numpy as np
import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    v, i = values.detach().cpu().numpy(), indices.cpu().numpy()
    rows = np.arange(len(v)).reshape(-1, *[1] * (i.ndim - 1))
    return torch.from_numpy(v[rows, i]).to(values.device)
