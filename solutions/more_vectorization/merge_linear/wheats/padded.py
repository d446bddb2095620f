"""Puts zeros beside each vector, so that the whole weight fits both."""

import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n, m = a.shape[-1], b.shape[-1]
    return F.linear(F.pad(a, (0, m)), weight) + F.linear(F.pad(b, (n, 0)), weight, bias)
