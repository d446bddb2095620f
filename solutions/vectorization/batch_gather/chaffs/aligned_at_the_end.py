"""Row numbers without dimensions for the indices, so that they line up with the last one.

Fails: test_by_hand (raised), test_vectors (raised), test_values (raised)
Costs: all, because with several indices an example gets an error, or another example's entries.
Says: your row numbers have shape [B] and line up with the last dimension of the indices, where they should be a
    column, [B, 1]
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return values[torch.arange(len(values), device=values.device), indices]
