"""Corners in the dtype of the boxes; only areas and overlaps are float32.

Fails: test_half (values)
Says: corners are rounded to half precision before float32 begins
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    low = torch.maximum(a[:, None, :2], b[:, :2])
    high = torch.minimum((a[:, :2] + a[:, 2:])[:, None], b[:, :2] + b[:, 2:])
    dtype = torch.promote_types(a.dtype, torch.float32)
    low, high, size_a, size_b = low.to(dtype), high.to(dtype), a[:, 2:].to(dtype), b[:, 2:].to(dtype)
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    union = size_a.prod(dim=1)[:, None] + size_b.prod(dim=1) - intersection
    return intersection / union.clamp(min=1e-5)
