"""Forgets the minus.

Fails: test_small_logits (sign), test_large_logits (values), test_dim (sign), test_values (sign), test_float64 (sign),
    test_huge_logits (values), test_nearly_tied_logits (sign), test_rows_of_different_size (values), test_every_dim
    (values), test_memory_layout (sign), test_gradient (sign), test_nan (values), test_half_precision (sign)
Costs: all, because every loss is wrong.
Says: the minus in front of the sum is missing
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return (target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
