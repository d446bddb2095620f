"""One of the two sides is detached, to save memory.

Fails: test_two_rows (values), test_gradients
Costs: 5, because memory and speed are those of a right backward pass, and there is none.
Says: only one side of each pair is seen by autograd
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(0)
    y = x.detach()
    i, j = torch.triu_indices(n, n, 1)
    squared = (x.square().sum(1)[:, None] + y.square().sum(1) - 2 * x @ y.T)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
