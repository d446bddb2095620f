"""The formula as it stands.

Fails: test_large_logits (nan), test_huge_logits (nan), test_nearly_tied_logits (nan), test_rows_of_different_size
    (nan), test_gradient_of_large_logits (nan)
Says: the formula is computed as it stands: nothing is subtracted before exp
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    exps = logits.to(torch.promote_types(logits.dtype, torch.float32)).exp()
    return exps / exps.sum(dim=dim, keepdim=True)
