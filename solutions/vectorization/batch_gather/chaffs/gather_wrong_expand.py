"""torch.gather with the index laid along the wrong dimension.

Fails: test_tables, test_values, test_ranks, test_sizes_of_one, test_memory_layout, test_every_dtype, test_exact,
    test_gradient, test_gradient_of_repeats
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
