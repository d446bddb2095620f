"""A list of all pairs, by index, and the result in its shape at the end."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    n, m = len(a), len(b)
    i, j = torch.meshgrid(torch.arange(n), torch.arange(m), indexing="ij")
    p, q = a.to(dtype)[i.flatten()], b.to(dtype)[j.flatten()]
    low = torch.maximum(p[:, :2], q[:, :2])
    high = torch.minimum(p[:, :2] + p[:, 2:], q[:, :2] + q[:, 2:])
    width, height = (high - low).clamp(min=0).unbind(dim=1)
    shared = width * height
    union = p[:, 2] * p[:, 3] + q[:, 2] * q[:, 3] - shared
    return (shared / union.clamp(min=1e-5)).view(n, m)
