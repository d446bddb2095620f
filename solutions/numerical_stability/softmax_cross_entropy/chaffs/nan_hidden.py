"""Replaces nan in the loss by 0.

Fails: test_nan (values)
Says: nan is replaced by a number
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    losses = -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
    return torch.nan_to_num(losses)
