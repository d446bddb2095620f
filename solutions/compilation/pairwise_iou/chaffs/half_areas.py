"""Computes in the dtype of the boxes.

Fails: test_half (nan)
Says: areas are computed in half precision
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    low = torch.maximum(a[:, None, :2], b[:, :2])
    high = torch.minimum((a[:, :2] + a[:, 2:])[:, None], b[:, :2] + b[:, 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    union = (a[:, 2] * a[:, 3])[:, None] + b[:, 2] * b[:, 3] - intersection
    return intersection / union.clamp(min=1e-5)
