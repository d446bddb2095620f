"""A small class that keeps the shapes apart."""

import math

import torch
from torch import Tensor


class BatchIndexer:
    """Gathers along the second dimension of ``values``."""

    def __init__(self, values: Tensor) -> None:
        self.values = values
        self.batch, self.count = values.shape[0], values.shape[1]
        self.rest = values.shape[2:]

    def __getitem__(self, indices: Tensor) -> Tensor:
        flat = indices.reshape(self.batch, math.prod(indices.shape[1:]))
        return self._pick(flat).reshape(indices.shape + self.rest)

    def _pick(self, flat: Tensor) -> Tensor:
        example = torch.arange(self.batch, device=self.values.device).unsqueeze(1).expand_as(flat)
        return self.values[example, flat, ...]


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return BatchIndexer(values)[indices]
