"""torch.gather with the index not expanded: one number of each entry.

Fails: test_vectors, test_entries
Says: the indices of `torch.gather` are not expanded, in their order, over all numbers of an entry
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    flat = indices.reshape(len(indices), math.prod(indices.shape[1:]), *[1] * len(rest))
    picked = torch.gather(values, 1, flat)
    return picked.expand(*picked.shape[:2], *rest).reshape(indices.shape + rest)
