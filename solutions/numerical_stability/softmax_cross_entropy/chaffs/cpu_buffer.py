"""Accumulates into a buffer that is always on the CPU.

Fails: test_device
Says: a tensor is made without device=..., so that it is on the CPU
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    terms = target.to(x.dtype) * torch.log_softmax(x, dim)
    total = torch.zeros(terms.sum(dim).shape)
    total = total - terms.sum(dim)
    return total.to(x.dtype)
