"""The formula with each row's own maximum subtracted, computed in float32 at least."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = (x - x.amax(dim=dim, keepdim=True)).exp()
    return exps / exps.sum(dim=dim, keepdim=True)
