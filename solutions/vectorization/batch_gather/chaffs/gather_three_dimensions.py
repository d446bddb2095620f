"""torch.gather, written for entries that are vectors.

Fails: test_by_hand, test_entries, test_index_dimensions
Says: your code expects entries that are vectors: one dimension of indices and three of values, no more and no less
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return torch.gather(values, 1, indices.unsqueeze(-1).expand(-1, -1, values.shape[-1]))
