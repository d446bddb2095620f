"""Row numbers without dimensions for the indices, so that they line up with the last one.

Fails: test_by_hand, test_tables, test_values, test_ranks, test_sizes_of_one, test_memory_layout, test_every_dtype,
    test_exact, test_gradient, test_gradient_of_repeats
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return values[torch.arange(len(values), device=values.device), indices]
