"""Is written for matrices: the kept dimension is put back by hand.

Fails: test_dim (values), test_every_dim (values), test_empty_batch (raised), test_gradient_along_dim (values)
Says: the code is written for matrices alone
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if x.dim() == 1:
        return softmax(x[None], 1)[0]
    if dim % 2 == 0:
        return softmax(x.T, 1).T
    exps = torch.exp(x - x.max(dim=1).values[:, None])
    return exps / exps.sum(dim=1)[:, None]
