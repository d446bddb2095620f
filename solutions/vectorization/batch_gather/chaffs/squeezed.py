"""A squeeze to be rid of one dimension, which takes all of size 1.

Fails: test_sizes_of_one (shape)
Says: `squeeze()` without a dimension takes away all sizes of 1, not only the one that you meant
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device)
    return values.unsqueeze(-1)[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices].squeeze()
