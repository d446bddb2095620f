"""Takes the first columns for b, and the last ones for a.

Fails: test_by_hand, test_without_bias, test_values
Says: the first columns of weight are used for b, and the last ones for a
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    m = b.shape[-1]
    return F.linear(b, weight[:, :m]) + F.linear(a, weight[:, m:], bias)
