"""Ignores dim and always takes the last dimension.

Fails: test_dim (values), test_every_dim (values), test_empty_batch (values), test_gradient_along_dim (values)
Says: dim is ignored, and the last dimension is always taken
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return exps / exps.sum(dim=-1, keepdim=True)
