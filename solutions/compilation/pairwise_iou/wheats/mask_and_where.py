"""Helper functions for corners and areas; torch.where for the union; a mask for overlaps."""

import torch
from torch import Tensor


def _corners(boxes: Tensor) -> tuple[Tensor, Tensor]:
    return boxes[:, :2], boxes[:, :2] + boxes[:, 2:]


def _area(boxes: Tensor) -> Tensor:
    return boxes[:, 2] * boxes[:, 3]


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype != torch.float64:
        a, b = a.float(), b.float()
    (low_a, high_a), (low_b, high_b) = _corners(a), _corners(b)
    low = torch.maximum(low_a[:, None, :], low_b[None, :, :])
    high = torch.minimum(high_a[:, None, :], high_b[None, :, :])
    touches = (high > low).all(dim=2)
    width, height = (high - low).unbind(dim=2)
    shared = torch.where(touches, width * height, torch.zeros_like(width))
    union = _area(a)[:, None] + _area(b)[None, :] - shared
    union = torch.where(union < 1e-5, torch.full_like(union, 1e-5), union)
    return shared / union
