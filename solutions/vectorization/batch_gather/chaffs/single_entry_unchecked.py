"""Where each example has one entry only it is repeated, whatever the indices say.

Fails: test_out_of_range
Says: some index that is too large is not refused
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if values.shape[1] == 1 and indices.dim() == 2:
        return values.repeat(1, indices.shape[1], *[1] * (values.dim() - 2))
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
