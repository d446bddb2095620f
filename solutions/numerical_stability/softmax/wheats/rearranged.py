"""In the style of einops: to (rows, classes), compute, and back, by helpers that say so."""

import torch
from torch import Tensor


def to_rows(x, dim):
    moved = x.transpose(dim, -1)
    return moved.flatten(0, -2) if x.dim() > 1 else moved[None], moved.shape


def from_rows(rows, shape, dim):
    return rows.reshape(shape).transpose(dim, -1)


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    rows, shape = to_rows(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
    exps = torch.exp(rows - rows.amax(1)[:, None])
    return from_rows(exps / exps.sum(1)[:, None], shape, dim)
