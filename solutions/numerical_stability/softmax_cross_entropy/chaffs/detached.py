"""Computes without gradients.

Fails: test_large_logits (detached), test_gradient (detached)
Says: the loss is computed without gradients
"""

import torch
from torch import Tensor


@torch.no_grad()
def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
