"""The normaliser is computed without gradients.

Fails: test_gradient (values)
Says: the backward pass leaves out the sum in the denominator, or uses what an earlier call has left behind
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    x = x - x.amax(dim, keepdim=True)
    with torch.no_grad():
        log_total = x.exp().sum(dim, keepdim=True).log()
    return -(target.to(x.dtype) * (x - log_total)).sum(dim)
