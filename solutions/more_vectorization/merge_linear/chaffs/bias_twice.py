"""Gives the bias to both halves.

Fails: test_by_hand, test_values
Says: the bias is added to both halves
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    return F.linear(a, weight[:, :n], bias) + F.linear(b, weight[:, n:], bias)
