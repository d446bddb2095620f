"""The denominator is computed without gradients, like the maximum.

Fails: test_gradient (values), test_minus_infinity (values)
Says: the gradient leaves out what goes through the sum in the denominator
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True).detach())
    with torch.no_grad():
        total = exps.sum(dim=dim, keepdim=True)
    return exps / total
