"""logsumexp minus the expected logit: two large numbers, of which the difference is small.

Fails: test_nearly_tied_logits (values), test_gradient_of_large_logits (values)
Says: two large numbers are subtracted, which have lost their digits
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return torch.logsumexp(x, dim) - (target.to(x.dtype) * x).sum(dim)
