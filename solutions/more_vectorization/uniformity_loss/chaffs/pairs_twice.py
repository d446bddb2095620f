"""Each pair is added up twice, and counted once.

Fails: test_by_hand, test_values
Says: the sum has each pair twice, and the count once
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    squared = lengths[:, None] + lengths - 2 * x @ x.T
    exponents = (-t * squared).masked_fill(torch.eye(n, dtype=torch.bool), -torch.inf)
    return exponents.flatten().logsumexp(0) - math.log(n * (n - 1) / 2)
