"""Makes rows with view, which needs contiguous memory.

Fails: test_memory_layout (raised), test_gradient_along_dim (raised)
Says: rows are made with view, which needs contiguous memory
"""

import math

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    dim = dim % logits.dim()
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    after = math.prod(x.shape[dim + 1 :])
    rows = x.view(math.prod(x.shape[:dim]), x.shape[dim], after)
    exps = torch.exp(rows - rows.amax(1, keepdim=True))
    return (exps / exps.sum(1, keepdim=True)).view(x.shape)
