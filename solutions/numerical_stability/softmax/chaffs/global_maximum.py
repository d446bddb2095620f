"""Shifts by the maximum of the whole tensor.

Fails: test_large_logits (nan), test_rows_of_different_size (nan), test_every_dim (nan), test_empty_batch (raised),
    test_nan (nan)
Says: one maximum is taken of the whole tensor, and not one for each row
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.max())
    return exps / exps.sum(dim=dim, keepdim=True)
