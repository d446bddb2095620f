"""Expands both inputs first, and multiplies every copy.

Fails: test_speed
Says: the inputs are expanded first, so each copy is multiplied again
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    shape = torch.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    n = a.shape[-1]
    return F.linear(a.expand(*shape, -1), weight[:, :n]) + F.linear(b.expand(*shape, -1), weight[:, n:], bias)
