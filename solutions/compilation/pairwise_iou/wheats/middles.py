"""How far apart the middles are: the overlap of two intervals without their ends."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype), b.to(dtype)
    size_a, size_b = a[:, None, 2:], b[None, :, 2:]
    middle_a, middle_b = a[:, None, :2] + size_a / 2, b[None, :, :2] + size_b / 2
    reach = (size_a + size_b) / 2 - (middle_a - middle_b).abs()
    sides = torch.minimum(reach, torch.minimum(size_a, size_b)).clamp(min=0)
    shared = sides.prod(dim=-1)
    union = size_a.prod(dim=-1) + size_b.prod(dim=-1) - shared
    return shared / torch.clamp(union, min=1e-5)
