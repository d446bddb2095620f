"""Rounds the target to the logits' dtype before anything else.

Fails: test_target_precision (values)
Says: the target is rounded to the logits' dtype
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    target = target.to(logits.dtype)
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target * torch.log_softmax(x, dim)).sum(dim)
