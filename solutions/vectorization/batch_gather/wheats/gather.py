"""torch.gather, with the indices expanded over what stands behind them."""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    flat = indices.reshape(len(indices), math.prod(indices.shape[1:]), *[1] * len(rest))
    picked = torch.gather(values, 1, flat.expand(-1, -1, *rest))
    return picked.reshape(*indices.shape, *rest)
