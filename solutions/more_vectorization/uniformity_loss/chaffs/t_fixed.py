"""2, whatever t is.

Fails: test_by_hand, test_t
Says: t is never used
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
    return (-2 * squared).logsumexp(0) - math.log(len(squared))
