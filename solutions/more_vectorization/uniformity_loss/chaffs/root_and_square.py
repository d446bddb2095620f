"""Takes the root of the squared distances, and squares it again.

Fails: test_equal_rows (nan)
Says: a root is taken, whose slope at 0 is infinite
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
    distances = squared.clamp(min=0).sqrt()
    return (-t * distances**2).logsumexp(0) - math.log(len(squared))
