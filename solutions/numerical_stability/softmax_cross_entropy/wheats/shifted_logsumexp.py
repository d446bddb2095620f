"""logsumexp minus the expected logit, both of the shifted logits; the shift is detached."""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    dtype = torch.float64 if logits.dtype is torch.float64 else torch.float32
    logits, target = logits.to(dtype), target.to(dtype)
    with torch.no_grad():
        top = logits.amax(dim, keepdim=True)
    logits = logits - top
    return torch.logsumexp(logits, dim) - torch.sum(logits * target, dim)
