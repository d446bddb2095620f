"""Scales by the largest number, which it takes out of its tensor.

Fails: test_one_graph, test_sizes
Says: a line asks a tensor for its value
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype), b.to(dtype)
    largest = float(a[:, 2:].sum() + b[:, 2:].sum())
    if largest == 0.0:
        return a.new_zeros(len(a), len(b))
    a, b = a[:, None], b[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    union = a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - intersection
    return intersection / union.clamp(min=1e-5)
