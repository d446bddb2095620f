"""log_softmax with its dtype argument; the product may be wider, the result is not."""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    wide = torch.promote_types(logits.dtype, torch.float32)
    log_p = torch.log_softmax(logits, dim, dtype=wide)
    return torch.sum(target * log_p, dim=dim).neg().to(wide)
