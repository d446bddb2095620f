"""Asks the tensors for numbers: the smallest and the largest index, and whether any is out of range. A GPU is waited for each time.

Fails: test_waits_on_a_gpu
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if indices.numel():
        lowest, highest = indices.min().item(), indices.max().item()
        if (indices >= values.shape[1]).any():
            raise IndexError(f"indices from {lowest} to {highest}, and there are {values.shape[1]} entries")
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
