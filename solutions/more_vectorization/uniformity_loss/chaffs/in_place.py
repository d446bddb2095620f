"""Subtracts the mean from the rows that it was given.

Fails: test_two_rows (raised), test_gradients (raised)
Costs: 5, because memory and speed are those of a right backward pass, and there is none.
Says: x is overwritten
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x -= x.mean(0)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
