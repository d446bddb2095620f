"""Adds all losses up.

Fails: test_small_logits (shape), test_dim (shape), test_values (shape)
Says: the losses of all examples are added up to one number
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum()
