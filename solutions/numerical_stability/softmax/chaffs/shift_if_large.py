"""Shifts only where some logit is above 80, and asks for the maximum of an empty tensor.

Fails: test_huge_logits (nan), test_empty_batch (raised), test_gradient_of_large_logits
    (nan)
Says: the maximum is subtracted only where a logit is large
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if x.max() > 80:
        x = x - x.amax(dim=dim, keepdim=True)
    exps = x.exp()
    return exps / exps.sum(dim=dim, keepdim=True)
