"""The gradient is cut off.

Fails: test_gradient, test_gradient_of_repeats
"""

import torch
from torch import Tensor


@torch.no_grad()
def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return values[rows, indices]
