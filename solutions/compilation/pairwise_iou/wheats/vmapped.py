"""The IoU of two boxes, vmapped twice."""

import torch
from torch import Tensor


def _iou(p: Tensor, q: Tensor) -> Tensor:
    low = torch.maximum(p[:2], q[:2])
    high = torch.minimum(p[:2] + p[2:], q[:2] + q[2:])
    sides = (high - low).clamp(min=0)
    shared = sides[0] * sides[1]
    return shared / (p[2] * p[3] + q[2] * q[3] - shared).clamp(min=1e-5)


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    if len(a) == 0 or len(b) == 0:  # vmap refuses to map over nothing
        return torch.zeros(len(a), len(b), dtype=dtype, device=a.device)
    over_b = torch.vmap(_iou, in_dims=(None, 0))
    return torch.vmap(over_b, in_dims=(0, None))(a.to(dtype), b.to(dtype))
