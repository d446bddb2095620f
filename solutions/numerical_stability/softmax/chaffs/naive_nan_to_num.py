"""The naive form, with its nan replaced by 1.

Fails: test_large_logits (values), test_huge_logits (values), test_nearly_tied_logits (constant),
    test_rows_of_different_size (values), test_gradient_of_large_logits (nan), test_nan (values)
Says: the formula overflows, and its nan is replaced afterwards
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    exps = logits.to(torch.promote_types(logits.dtype, torch.float32)).exp()
    return torch.nan_to_num(exps / exps.sum(dim=dim, keepdim=True), nan=1.0)
