"""The rows' offsets are added to the caller's indices.

Fails: test_memory_layout, test_inputs_untouched
Says: the offsets are added to the indices in place (`+=`), which changes the caller's tensor
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    if (indices >= count).any():
        raise IndexError("index out of range")
    indices += count * torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.flatten(0, 1)[indices]
