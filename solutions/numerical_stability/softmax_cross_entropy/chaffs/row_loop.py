"""Loops over rows in Python.

Fails: test_operations, test_speed
Says: a Python loop goes over the rows
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    x, t = x.movedim(dim, -1), target.to(x.dtype).movedim(dim, -1)
    n = x.shape[-1]
    losses = [-(b * torch.log_softmax(a, 0)).sum() for a, b in zip(x.reshape(-1, n), t.reshape(-1, n))]
    return torch.stack(losses).reshape(x.shape[:-1]) if losses else (x * t).sum(-1)
