"""Computes in float32, and gives back the dtype of the boxes.

Fails: test_half (dtype)
Says: the result is rounded back to half precision
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    given, dtype = a.dtype, torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype)[:, None], b.to(dtype)[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    union = a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - intersection
    return (intersection / union.clamp(min=1e-5)).to(given)
