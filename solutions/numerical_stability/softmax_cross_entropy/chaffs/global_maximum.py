"""Shifts by the maximum of the whole tensor.

Fails: test_large_logits (nan), test_rows_of_different_size (nan), test_every_dim (nan), test_empty_batch (raised),
    test_nan (nan)
Says: one maximum is taken of the whole tensor, and not one for each row
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    shifted = x - x.max()
    log_total = shifted.exp().sum(dim, keepdim=True).log()
    return -(target.to(x.dtype) * (shifted - log_total)).sum(dim)
