"""Accumulates into a buffer that is always on the CPU.

Fails: test_device
Says: a tensor is made without device=..., so that it is on the CPU
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    total = torch.zeros(exps.sum(dim=dim, keepdim=True).shape)
    total = total + exps.sum(dim=dim, keepdim=True)
    return exps / total
