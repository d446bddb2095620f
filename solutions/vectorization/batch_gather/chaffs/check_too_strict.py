"""A bounds check that refuses the last entry.

Fails: test_by_hand (raised), test_vectors (raised), test_speed (raised), test_combinations (raised)
Says: the last entry, N - 1, is refused: the check says `>= N - 1` where it should say `>= N`
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if (indices >= values.shape[1] - 1).any():
        raise IndexError("index out of range")
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
