"""The logits of torch.distributions.Categorical, which are x - logsumexp(x).

Fails: test_nearly_tied_logits (values), test_gradient_of_large_logits (values)
Says: two large numbers are subtracted, which have lost their digits
"""

import torch
from torch import Tensor
from torch.distributions import Categorical


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    log_p = Categorical(logits=x, validate_args=False).logits
    return -(target.to(x.dtype).movedim(dim, -1) * log_p).sum(-1)
