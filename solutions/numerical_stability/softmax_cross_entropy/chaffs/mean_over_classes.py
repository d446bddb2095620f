"""Averages over the classes instead of summing.

Fails: test_small_logits (factor), test_large_logits (values), test_dim (factor), test_values (factor), test_float64
    (factor), test_huge_logits (values), test_nearly_tied_logits (factor), test_rows_of_different_size (values),
    test_every_dim (values), test_memory_layout (factor), test_gradient (factor), test_nan (values),
    test_half_precision (factor)
Costs: all, because every loss is wrong.
Says: the losses are averaged over the classes instead of added up
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).mean(dim)
