"""Cross-entropy is the Kullback-Leibler divergence plus the target's entropy."""

import torch
import torch.nn.functional as F
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    t = target.to(x.dtype)
    divergence = F.kl_div(F.log_softmax(x, dim), t, reduction="none").sum(dim)
    return divergence + torch.special.entr(t).sum(dim)
