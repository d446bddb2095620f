"""Row numbers without dimensions for the indices, so that they line up with the last one.

Fails: test_by_hand, test_vectors, test_values
Costs: all, because as soon as an example has several indices, there is an error or another example's entry
Says: your row numbers have shape [B] and line up with the last dimension of the indices, where they should be a column, [B,
    1]
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return values[torch.arange(len(values), device=values.device), indices]
