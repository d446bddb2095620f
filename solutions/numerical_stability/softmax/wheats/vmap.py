"""One row's softmax, mapped over all rows with torch.vmap."""

import math

import torch
from torch import Tensor


def _one_row(row: Tensor) -> Tensor:
    e = torch.exp(row - row.max())
    return e / e.sum()


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    result = torch.vmap(_one_row)(rows) if len(rows) else rows.clone()
    return result.reshape(x.shape).movedim(-1, dim)
