"""Ignores dim and always takes the last dimension.

Fails: test_dim (shape), test_every_dim (shape), test_gradient_along_dim (shape)
Says: dim is ignored, and the last dimension is always taken
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, -1)).sum(-1)
