"""Subtracts with -=, which changes the caller's tensor and which autograd forbids for a leaf.

Fails: test_memory_layout (raised), test_gradient (raised), test_minus_infinity (raised), test_inputs_untouched
    (inputs)
Says: the maximum is subtracted in place, with -=
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    logits -= logits.max(dim=dim, keepdim=True).values
    exps = logits.exp()
    return exps / exps.sum(dim=dim, keepdim=True)
