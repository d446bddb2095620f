"""The mean of the exponents, since log and exp undo each other.

Fails: test_by_hand, test_values
Says: the mean is taken of the exponents, and not of their exp
"""

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return (-t * squared).mean()
