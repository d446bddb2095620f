"""Adds 1e-5 to the denominator, against a division by zero that cannot happen.

Fails: test_values (values), test_float64 (values), test_gradient_along_dim (values)
Says: a small constant was added to avoid a division by zero, or the log of it
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / (exps.sum(dim=dim, keepdim=True) + 1e-5)
