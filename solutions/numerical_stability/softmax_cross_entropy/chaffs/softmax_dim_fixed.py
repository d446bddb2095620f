"""Sums along dim, but normalises along the last dimension.

Fails: test_dim (values), test_every_dim (values), test_gradient_along_dim (values)
Says: the softmax runs along the last dimension, whatever dim is
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, -1)).sum(dim)
