"""Loops over rows in Python.

Fails: test_operations, test_speed
Says: a Python loop goes over the rows
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    rows = x.reshape(-1, x.shape[-1])
    if len(rows) == 0:
        return x.clone().movedim(-1, dim)
    return torch.stack([torch.softmax(row, 0) for row in rows]).reshape(x.shape).movedim(-1, dim)
