"""Pairs of (example, index) in two flat lists, as one would write it in NumPy."""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    flat = indices.flatten()
    per_example = indices[:1].numel()
    example = torch.arange(indices.shape[0]).to(values.device).repeat_interleave(per_example)
    return values[example, flat].view(indices.shape + values.shape[2:])
