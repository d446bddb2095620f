"""The rows less their mean, one matrix product for all distances, and logsumexp for the rest.

Why: |a - b|^2 = |a|^2 + |b|^2 - 2 ab has nearly all of its work in a matrix product, forward and backward, and never stores N * N * D
    numbers. It subtracts large numbers where the rows are far from 0, so they are moved there first, which changes no distance.
    logsumexp takes the largest exponent out before exp. A row beside itself has the exponent -inf, so its exp is 0. Each pair
    stands in the matrix twice, and is counted twice.
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(dim=0)
    lengths = x.square().sum(dim=1)
    distances = lengths.unsqueeze(1) + lengths - 2 * (x @ x.T)
    itself = torch.eye(n, dtype=torch.bool)
    exponents = (-t * distances).masked_fill(itself, -torch.inf)
    return exponents.flatten().logsumexp(dim=0) - math.log(n * (n - 1))
