"""Subtracts the maximum from the caller's logits, hidden from autograd.

Fails: test_memory_layout (raised), test_inputs_untouched (inputs)
Says: the caller's logits are changed
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    with torch.no_grad():
        x -= x.amax(dim, keepdim=True)
    return -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
