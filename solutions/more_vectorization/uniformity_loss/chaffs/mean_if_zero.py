"""Takes the largest exponent if the mean is 0, by where: the log of 0 comes back in the gradient.

Fails: test_range
Says: the log of 0 is thrown away, and comes back in the result or its gradient
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    exponents = -t * squared
    mean = exponents.exp().mean()
    return torch.where(mean > 0, mean.log(), exponents.max() - math.log(len(exponents)))
