"""torch.gather with the index not expanded: one number of each entry.

Fails: test_tables, test_values, test_ranks, test_sizes_of_one, test_memory_layout, test_every_dtype, test_exact,
    test_gradient, test_gradient_of_repeats
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    flat = indices.reshape(len(indices), math.prod(indices.shape[1:]), *[1] * len(rest))
    picked = torch.gather(values, 1, flat)
    return picked.expand(*picked.shape[:2], *rest).reshape(indices.shape + rest)
