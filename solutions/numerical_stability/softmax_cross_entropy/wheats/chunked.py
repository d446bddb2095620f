"""In chunks of 2048 rows, to bound the memory in use."""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x, t = logits.movedim(dim, -1), target.movedim(dim, -1)
    shape, n = x.shape[:-1], x.shape[-1]
    losses = []
    for a, b in zip(x.reshape(-1, n).split(2048), t.reshape(-1, n).split(2048)):
        a = a.to(torch.promote_types(a.dtype, torch.float32))
        losses.append(-(b.to(a.dtype) * a.log_softmax(-1)).sum(-1))
    return torch.cat(losses).reshape(shape)
