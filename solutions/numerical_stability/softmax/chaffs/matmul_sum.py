"""Sums with a matrix product, which autocast runs in half precision.

Fails: test_autocast (values)
Says: the sum is a matrix product, which autocast runs in half precision
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    exps = torch.exp(x - x.amax(-1, keepdim=True))
    total = exps @ exps.new_ones(exps.shape[-1], 1)
    return (exps / total).movedim(-1, dim)
