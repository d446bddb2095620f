"""cdist, which squares and subtracts inside once there are more than 25 rows.

Fails: test_shift (values)
Says: cdist computes with products inside, as soon as there are many rows
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    i, j = torch.triu_indices(n, n, 1)
    squared = torch.cdist(x, x)[i, j].square()
    return (-t * squared).logsumexp(0) - math.log(len(squared))
