"""torch.gather with the index laid along the wrong dimension.

Fails: test_vectors, test_entries
Says: the indices of `torch.gather` are not expanded, in their order, over all numbers of an entry
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    size = math.prod(rest)
    flat = indices.reshape(len(indices), math.prod(indices.shape[1:]))
    wide = flat.repeat(1, size).reshape(*flat.shape, size)
    return torch.gather(values.reshape(*values.shape[:2], size), 1, wide).reshape(indices.shape + rest)
