"""Products of the rows as they are.

Fails: test_shift (values)
Says: large numbers are squared and subtracted, and nothing of their difference is left
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
