"""Keeps dim as a dimension of size 1.

Fails: test_dim (shape), test_values (shape)
Says: the sum keeps dim as a dimension of size 1
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim, keepdim=True)
