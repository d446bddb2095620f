"""Adds 1e-8 inside the log.

Fails: test_large_logits (values), test_values (values), test_float64 (values), test_huge_logits (values),
    test_rows_of_different_size (values), test_gradient_along_dim (values), test_gradient_of_large_logits (values)
Says: a small constant was added to avoid a division by zero, or the log of it
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -(target.to(x.dtype) * torch.log(torch.softmax(x, dim) + 1e-8)).sum(dim)
