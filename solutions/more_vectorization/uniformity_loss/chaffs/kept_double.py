"""Computes in float64, and stays there.

Fails: test_dtype (dtype)
Says: the result is still float64 where x was float32
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x.double() - x.double().mean(0)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return (-t * squared).logsumexp(0) - math.log(len(squared))
