"""Writes the corners into the boxes that it was given.

Fails: test_gradient_by_hand, test_empty, test_gradients
Says: corners are written into the tensors that were given
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype), b.to(dtype)
    area_a, area_b = a[:, 2] * a[:, 3], b[:, 2] * b[:, 3]
    a[:, 2:] += a[:, :2]
    b[:, 2:] += b[:, :2]
    sides = torch.minimum(a[:, None, 2:], b[:, 2:]) - torch.maximum(a[:, None, :2], b[:, :2])
    intersection = sides.clamp(min=0).prod(dim=-1)
    union = area_a[:, None] + area_b - intersection
    return intersection / union.clamp(min=1e-5)
