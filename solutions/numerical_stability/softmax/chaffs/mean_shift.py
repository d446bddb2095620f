"""Shifts by the mean, which tames the average and not the largest.

Fails: test_large_logits (nan), test_huge_logits (nan), test_nearly_tied_logits (nan), test_rows_of_different_size
    (nan), test_gradient_of_large_logits (nan), test_minus_infinity (nan)
Says: the row's mean is subtracted, and not its maximum
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.mean(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)
