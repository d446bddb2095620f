"""torch.take_along_dim, which broadcasts by itself, behind a bounds check of its own."""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if indices.numel() and indices.max() >= values.shape[1]:
        raise ValueError("an index is too large")
    rest = values.shape[2:]
    flat = indices.reshape(indices.shape[0], math.prod(indices.shape[1:]), *(1 for _ in rest))
    return torch.take_along_dim(values, flat, dim=1).reshape(indices.shape + rest)
