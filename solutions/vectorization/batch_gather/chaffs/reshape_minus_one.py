"""reshape(B, -1), which no empty tensor has an answer to.

Fails: test_empty
Says: `reshape(B, -1)` cannot tell a size when a tensor is empty
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)[:, None]
    return values[rows, indices.reshape(len(indices), -1)].reshape(indices.shape + values.shape[2:])
