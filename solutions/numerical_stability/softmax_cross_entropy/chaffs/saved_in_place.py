"""Multiplies the log-probabilities in place, although the backward pass needs them.

Fails: test_large_logits (raised), test_gradient (raised)
Says: a tensor is changed in place that the backward pass needs
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    log_p = torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
    log_p *= target.to(log_p.dtype)
    return -log_p.sum(dim)
