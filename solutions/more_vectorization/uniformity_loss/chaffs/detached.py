"""The distances are computed without autograd.

Fails: test_two_rows (detached), test_gradients (detached)
Costs: 5, because memory and speed are those of a right backward pass, and there is none.
Says: autograd does not see the distances
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = (x - x.mean(0)).data
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
