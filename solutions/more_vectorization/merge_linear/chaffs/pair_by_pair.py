"""One pair after the other.

Fails: test_memory, test_speed
Says: one pair after the other is multiplied
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    shape = torch.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    left = a.expand(*shape, -1).flatten(0, -2) if shape else a[None]
    right = b.expand(*shape, -1).flatten(0, -2) if shape else b[None]
    rows = [F.linear(torch.cat([x, y]), weight, bias) for x, y in zip(left, right)]
    return torch.stack(rows).reshape(*shape, len(weight)) if rows else weight.new_zeros(*shape, len(weight))
