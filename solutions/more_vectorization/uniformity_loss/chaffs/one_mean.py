"""Subtracts one number from all, the mean of all numbers.

Fails: test_shift (values)
Says: one mean is subtracted from all columns
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean()
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
