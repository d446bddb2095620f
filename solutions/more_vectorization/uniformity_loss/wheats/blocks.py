"""Blocks of 256 rows, each with one product, and a logsumexp of their logsumexps."""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    parts = []
    for start in range(0, n, 256):
        block = x[start : start + 256]
        squared = lengths[start : start + 256, None] + lengths - 2 * block @ x.T
        row = torch.arange(start, start + len(block)).unsqueeze(1)
        below = torch.arange(n) <= row
        parts.append((-t * squared).masked_fill(below, -torch.inf).flatten().logsumexp(0))
    return torch.stack(parts).logsumexp(0) - math.log(n * (n - 1) / 2)
