"""Sums with a matrix product, and switches autocast off around it: that of the CPU, whatever device the logits are on.

Fails: test_on_a_gpu
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    exps = torch.exp(x - x.amax(-1, keepdim=True))
    with torch.autocast("cpu", enabled=False):
        total = exps @ exps.new_ones(exps.shape[-1], 1)
    return (exps / total).movedim(-1, dim)
