"""Corners of all pairs by broadcasting, in float32 at least; nothing asks a tensor for its value."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    (low_a, size_a), (low_b, size_b) = (boxes.to(dtype).split(2, dim=1) for boxes in (a, b))
    low = torch.maximum(low_a[:, None], low_b)
    high = torch.minimum((low_a + size_a)[:, None], low_b + size_b)
    sides = (high - low).clamp(min=0)
    intersection = sides[..., 0] * sides[..., 1]
    area_a, area_b = size_a[:, 0] * size_a[:, 1], size_b[:, 0] * size_b[:, 1]
    union = area_a[:, None] + area_b - intersection
    return intersection / union.clamp(min=1e-5)
