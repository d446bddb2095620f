"""All differences at once: N * N * D numbers.

Fails: test_memory
Says: all D differences of each pair are stored
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    i, j = torch.triu_indices(n, n, 1)
    squared = (x[:, None] - x).square().sum(-1)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
