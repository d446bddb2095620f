"""Makes a table of all pairs, also where the shapes fit each other.

Fails: test_values
Says: each vector of a is paired with each of b, also where their rows belong together
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    left, right = F.linear(a, weight[:, :n], bias), F.linear(b, weight[:, n:])
    if a.dim() == b.dim() == 2:
        return left[:, None] + right[None]
    return left + right
