"""A bounds check against the number of examples.

Fails: test_more_entries_than_examples, test_sizes_of_one
Says: the indices are compared with the number of examples, and not with the number of entries
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if (indices >= values.shape[0]).any():
        raise IndexError("index out of range")
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
