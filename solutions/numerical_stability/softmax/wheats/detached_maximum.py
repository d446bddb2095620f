"""The shift needs no gradient, since it changes nothing, so it is detached."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    dtype = torch.float64 if logits.dtype is torch.float64 else torch.float32
    logits = logits.to(dtype)
    with torch.no_grad():
        biggest, _ = torch.max(logits, dim=dim, keepdim=True)
    numerator = torch.exp(logits - biggest)
    denominator = numerator.sum(dim, keepdim=True)
    return numerator / denominator
