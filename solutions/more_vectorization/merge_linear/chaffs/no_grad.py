"""Computes the half of b without gradients.

Fails: test_gradients_by_steps, test_gradients
Says: the half of b is computed under no_grad
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    with torch.no_grad():
        of_b = F.linear(b, weight[:, n:], bias)
    return F.linear(a, weight[:, :n]) + of_b
