"""Both lists expanded to [N, M, 4], and corners beside each other in one tensor."""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    n, m = a.shape[0], b.shape[0]
    pairs_a = a.to(dtype).view(n, 1, 4).expand(n, m, 4)
    pairs_b = b.to(dtype).view(1, m, 4).expand(n, m, 4)
    corners_a = torch.cat([pairs_a[..., :2], pairs_a[..., :2] + pairs_a[..., 2:]], dim=-1)
    corners_b = torch.cat([pairs_b[..., :2], pairs_b[..., :2] + pairs_b[..., 2:]], dim=-1)
    both = torch.stack([corners_a, corners_b])
    sides = both[..., 2:].amin(dim=0) - both[..., :2].amax(dim=0)
    shared = sides.clamp(min=0).prod(dim=-1)
    areas = pairs_a[..., 2:].prod(dim=-1) + pairs_b[..., 2:].prod(dim=-1)
    return shared / (areas - shared).clamp(min=1e-5)
