"""Sides of an overlap may be negative: twice negative is positive.

Fails: test_apart
Says: boxes that lie apart get an overlap, because its sides may be negative
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype)[:, None], b.to(dtype)[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    intersection = (high - low).prod(dim=-1)
    union = a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - intersection
    return intersection / union.clamp(min=1e-5)
