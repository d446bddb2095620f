"""Takes width and height for the second corner.

Fails: test_by_hand, test_gradient_by_hand, test_values, test_apart, test_gradients
Costs: 5.5, because every box is another one than was meant.
Says: width and height are taken for the second corner
"""

import torch
from torch import Tensor


def pairwise_iou(a: Tensor, b: Tensor) -> Tensor:
    dtype = torch.promote_types(a.dtype, torch.float32)
    a, b = a.to(dtype)[:, None], b.to(dtype)[None]
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., 2:], b[..., 2:])
    intersection = (high - low).clamp(min=0).prod(dim=-1)
    area_a = (a[..., 2] - a[..., 0]) * (a[..., 3] - a[..., 1])
    area_b = (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    union = area_a + area_b - intersection
    return intersection / union.clamp(min=1e-5)
