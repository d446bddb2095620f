"""The union is not clamped: 0 / 0.

Fails: test_empty (nan)
Says: the union of empty boxes is 0, and divides
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype)[:, None], b.to(dtype)[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    union = a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - intersection
    return intersection / union
