"""Clamps the logits to what exp can take.

Fails: test_large_logits (values), test_huge_logits (values), test_nearly_tied_logits (constant),
    test_rows_of_different_size (values), test_gradient_of_large_logits (constant)
Says: the logits are clamped to what exp can take
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).clamp(-80, 80)
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
