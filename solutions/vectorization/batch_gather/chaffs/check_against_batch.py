"""A bounds check against the number of examples.

Fails: test_by_hand, test_tables, test_values, test_ranks, test_sizes_of_one, test_memory_layout, test_every_dtype,
    test_exact, test_gradient, test_gradient_of_repeats
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if (indices >= values.shape[0]).any():
        raise IndexError("index out of range")
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
