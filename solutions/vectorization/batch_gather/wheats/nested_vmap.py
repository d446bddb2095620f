"""Mapped twice with torch.func: over the examples, and in each over its indices."""

import math

import torch
from torch import Tensor


def _entry(entries: Tensor, index: Tensor) -> Tensor:
    return entries.index_select(0, index.reshape(1)).squeeze(0)


_entries = torch.func.vmap(_entry, in_dims=(None, 0))
_batch = torch.func.vmap(_entries, in_dims=(0, 0))


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    shape = indices.shape + values.shape[2:]
    if 0 in shape:
        return values.new_zeros(shape)
    return _batch(values, indices.reshape(indices.shape[0], math.prod(indices.shape[1:]))).reshape(shape)
