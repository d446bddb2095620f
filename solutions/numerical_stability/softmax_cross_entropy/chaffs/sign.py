"""Forgets the minus.

Fails: test_small_logits (sign), test_values (sign)
Says: the minus in front of the sum is missing
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return (target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
