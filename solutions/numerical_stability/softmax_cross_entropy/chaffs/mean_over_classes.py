"""Averages over the classes instead of summing.

Fails: test_small_logits (factor), test_values (factor)
Says: the losses are averaged over the classes instead of added up
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).mean(dim)
