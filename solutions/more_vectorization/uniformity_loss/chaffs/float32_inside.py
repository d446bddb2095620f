"""Computes in float32, and goes back.

Fails: test_dtype (values)
Says: float64 is computed in float32
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    dtype, x = x.dtype, x.float()
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return ((-t * squared).logsumexp(0) - math.log(len(squared))).to(dtype)
