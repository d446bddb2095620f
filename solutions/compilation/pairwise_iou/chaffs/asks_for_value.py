"""Leaves early if nothing overlaps: the compiler has no values yet.

Fails: test_one_graph, test_sizes
Says: a line asks a tensor for its value
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype)[:, None], b.to(dtype)[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    if bool((intersection == 0).all()):
        return intersection
    union = a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - intersection
    return intersection / union.clamp(min=1e-5)
