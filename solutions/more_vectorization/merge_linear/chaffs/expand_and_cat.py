"""Writes all pairs side by side.

Fails: test_memory, test_speed
Says: all pairs are written down before they are multiplied
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    shape = torch.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    pairs = torch.cat([a.expand(*shape, -1), b.expand(*shape, -1)], dim=-1)
    return F.linear(pairs, weight, bias)
