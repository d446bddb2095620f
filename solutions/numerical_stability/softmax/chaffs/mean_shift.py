"""Shifts by the mean, which tames the average and not the largest.

Fails: test_large_logits, test_huge_logits, test_nearly_tied_logits, test_rows_of_different_size,
    test_gradient_of_large_logits, test_minus_infinity
Says: the row's mean is subtracted, and not its maximum
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.mean(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)
