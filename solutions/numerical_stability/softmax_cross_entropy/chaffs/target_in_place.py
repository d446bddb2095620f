"""Multiplies the caller's target in place.

Fails: test_inputs_untouched (inputs)
Says: the caller's target is changed
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    target = target.to(x.dtype)
    target *= torch.log_softmax(x, dim)
    return -target.sum(dim)
