"""torch.gather, written for entries that are vectors.

Fails: test_by_hand, test_tables, test_ranks, test_empty, test_memory_layout, test_gradient
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return torch.gather(values, 1, indices.unsqueeze(-1).expand(-1, -1, values.shape[-1]))
