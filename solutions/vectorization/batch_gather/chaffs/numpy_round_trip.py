"""NumPy's indexing, which autograd does not see.

Fails: test_gradient, test_gradient_of_repeats, test_every_dtype, test_exact
"""

import numpy as np
import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    v, i = values.detach().cpu().numpy(), indices.cpu().numpy()
    rows = np.arange(len(v)).reshape(-1, *[1] * (i.ndim - 1))
    return torch.from_numpy(v[rows, i]).to(values.device)
