"""A function of one vector, mapped over all other dimensions by vmap."""

import torch
from torch import Tensor


def _vector(v: Tensor) -> Tensor:
    largest = v.abs().amax().detach()
    v = v / torch.where(largest == 0, 1.0, largest)
    total = v @ v
    return v / torch.where(total == 0, 1.0, total).sqrt()


def unit(x: Tensor, dim: int = -1) -> Tensor:
    rows = x.transpose(dim, -1)
    result = torch.func.vmap(_vector)(rows.flatten(end_dim=-2)) if x.dim() > 1 else _vector(rows)
    return result.reshape(rows.shape).transpose(dim, -1)
