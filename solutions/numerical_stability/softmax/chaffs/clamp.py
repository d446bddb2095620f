"""Clamps the logits to what exp can take.

Fails: test_large_logits (values), test_huge_logits (values), test_nearly_tied_logits (constant),
    test_rows_of_different_size (values), test_gradient_of_large_logits (constant)
Says: the logits are clamped to what exp can take
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).clamp(-80, 80)
    exps = x.exp()
    return exps / exps.sum(dim=dim, keepdim=True)
