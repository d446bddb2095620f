"""Cuts weight where a ends, and adds the products of both parts.

Why: a row of weight times [a, b] is its first n numbers times a, plus the others times b. So each vector is multiplied once, however
    many partners it has, and only the sum is as large as the result. The bias belongs to one of the two products: it counts once, and
    it is added where it costs least.
"""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    return F.linear(a, weight[:, :n]) + F.linear(b, weight[:, n:], bias)
