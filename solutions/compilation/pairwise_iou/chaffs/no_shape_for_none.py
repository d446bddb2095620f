"""Without boxes on one side it gives an empty list.

Fails: test_none (shape)
Says: no boxes give a result without its two dimensions
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype), b.to(dtype)
    if a.numel() == 0 or b.numel() == 0:
        return a.new_zeros(0)
    a, b = a[:, None], b[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    union = a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - intersection
    return intersection / union.clamp(min=1e-5)
