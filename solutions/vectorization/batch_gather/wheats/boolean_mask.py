"""Every index compared with every entry's number, and the mask that results: too few entries are left if one is out of range."""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    flat = indices.reshape(batch, math.prod(indices.shape[1:]))
    wanted = flat.unsqueeze(2) == torch.arange(count, device=values.device)
    candidates = values.unsqueeze(1).expand(batch, flat.shape[1], count, *rest)
    return candidates[wanted].reshape(*indices.shape, *rest)
