"""Takes the numbers of weight past autograd.

Fails: test_gradients_by_steps, test_gradients
Says: weight.data is used, which autograd does not see
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    return F.linear(a, weight.data[:, :n]) + F.linear(b, weight.data[:, n:], bias)
