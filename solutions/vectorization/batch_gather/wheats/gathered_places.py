"""The places of the flattened batch are gathered first, so that the library checks the bounds; the values come second."""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    b, n, *rest = values.shape
    places = torch.arange(b * n, device=values.device).reshape(b, n)
    wanted = places.gather(1, indices.reshape(b, math.prod(indices.shape[1:])))
    return torch.index_select(values.reshape(b * n, *rest), 0, wanted.reshape(-1)).reshape(*indices.shape, *rest)
