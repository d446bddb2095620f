"""Everything in float64, then back to float32."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.double()
    x = x - x.max(dim, keepdim=True).values
    e = torch.exp(x)
    p = e / torch.sum(e, dim=dim, keepdim=True)
    return p if logits.dtype == torch.float64 else p.float()
