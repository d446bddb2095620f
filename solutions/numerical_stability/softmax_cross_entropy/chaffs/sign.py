"""Forgets the minus.

Fails: test_small_logits, test_large_logits, test_dim, test_values, test_float64, test_huge_logits,
    test_nearly_tied_logits, test_rows_of_different_size, test_every_dim, test_memory_layout, test_gradient, test_nan,
    test_half_precision
Costs: 11.5, because every loss is wrong.
Says: the minus in front of the sum is missing
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return (target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
