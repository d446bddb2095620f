"""logaddexp, folded over the classes of the shifted logits."""

import functools

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    shifted = x - x.amax(dim, keepdim=True)
    log_total = functools.reduce(torch.logaddexp, shifted.unbind(dim))
    return (target.to(x.dtype) * (log_total.unsqueeze(dim) - shifted)).sum(dim)
