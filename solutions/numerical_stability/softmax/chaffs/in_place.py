"""Subtracts the maximum from the caller's tensor, hidden from autograd.

Fails: test_memory_layout (raised), test_inputs_untouched (inputs)
Says: the caller's tensor is changed
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    with torch.no_grad():
        x.sub_(x.amax(dim=dim, keepdim=True))
    return torch.softmax(x, dim)
