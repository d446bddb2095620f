"""In the style of einops: to (rows, classes), compute, and back, by a helper that says so."""

import torch
from torch import Tensor


def rows_of(x, dim):
    return x.movedim(dim, -1).flatten(0, -2) if x.dim() > 1 else x[None]


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = rows_of(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
    t = rows_of(target, dim).type_as(x)
    x = x.sub(x.max(1, keepdim=True).values)
    losses = x.exp().sum(1).log() - x.mul(t).sum(1)
    shape = list(logits.shape)
    del shape[dim]
    return losses.reshape(shape)
