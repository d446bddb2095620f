"""exp(x - logsumexp(x)), after the shift, so that the logsumexp is small."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    x = x - x.amax(dim, keepdim=True).detach()
    return torch.exp(x - x.logsumexp(dim, keepdim=True))
