"""Sums with keepdim, and then drops every dimension of size 1, not only that one.

Fails: test_every_dim (shape)
Says: the result is squeezed, so that dimensions of size 1 are gone
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    log_p = x - x.amax(dim, keepdim=True)
    log_p = log_p - log_p.exp().sum(dim, keepdim=True).log()
    return -(target.to(x.dtype) * log_p).sum(dim, keepdim=True).squeeze()
