"""Enough digits for 1000 squared, without any shift."""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n, y = len(x), x.double()
    lengths = (y * y).sum(1)
    squared = lengths[:, None] + lengths[None, :] - 2 * y @ y.T
    above = torch.ones_like(squared, dtype=torch.bool).triu(1)
    return ((-t * squared[above]).logsumexp(0) - math.log(n * (n - 1) / 2)).to(x.dtype)
