"""A flat index whose offset is b * B where it should be b * N.

Fails: test_by_hand, test_tables, test_values, test_ranks, test_sizes_of_one, test_memory_layout, test_every_dtype,
    test_exact, test_gradient, test_gradient_of_repeats
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    if (indices >= count).any():
        raise IndexError("index out of range")
    rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.flatten(0, 1)[rows * batch + indices]
