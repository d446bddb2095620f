"""A flat index whose offset is b * B where it should be b * N.

Fails: test_by_hand (raised), test_vectors (raised), test_more_entries_than_examples (values), test_speed (raised),
    test_combinations (raised)
Says: the offset of example b in the flat list is b * B in your code, where it should be b * N
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    if (indices >= count).any():
        raise IndexError("index out of range")
    rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.flatten(0, 1)[rows * batch + indices]
