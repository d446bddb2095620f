"""Reductions without keepdim: shapes do not fit, or fit the wrong way round.

Fails: test_small_logits, test_large_logits, test_dim, test_values, test_float64, test_huge_logits,
    test_nearly_tied_logits, test_rows_of_different_size, test_every_dim, test_memory_layout, test_gradient,
    test_minus_infinity, test_nan, test_half_precision
Costs: 11.5, because no result along the usual dim is right.
Says: max and sum are taken without keepdim=True
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.amax(dim=dim))
    return exps / exps.sum(dim=dim)
