"""Cuts weight by writing zeros into it.

Fails: test_gradients_by_steps, test_gradients, test_inputs_untouched
Says: zeros are written into weight
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    of_b = F.linear(b, weight[:, n:], bias)
    weight.data[:, n:] = 0
    return F.linear(F.pad(a, (0, b.shape[-1])), weight) + of_b
