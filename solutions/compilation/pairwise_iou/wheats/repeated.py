"""Boxes repeated: repeat_interleave for a, repeat for b."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    n, m = a.shape[0], b.shape[0]
    p = a.to(dtype).repeat_interleave(m, dim=0)
    q = b.to(dtype).repeat(n, 1)
    low = torch.max(p[:, :2], q[:, :2])
    high = torch.min(p[:, :2] + p[:, 2:], q[:, :2] + q[:, 2:])
    sides = (high - low).clamp(min=0)
    shared = sides[:, 0] * sides[:, 1]
    union = p[:, 2] * p[:, 3] + q[:, 2] * q[:, 3] - shared
    return (shared / union.clamp(min=1e-5)).reshape(n, m)
