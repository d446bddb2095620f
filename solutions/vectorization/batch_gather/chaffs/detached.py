"""The gradient is cut off.

Fails: test_gradient (detached)
Says: the result is cut off from `values`: `torch.no_grad()`, `detach()` or `.data`
"""

import torch
from torch import Tensor


@torch.no_grad()
def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return values[rows, indices]
