"""A small number keeps the log away from 0.

Fails: test_far_apart (values), test_range (values)
Says: a small number is added before the log, which then stands for everything
"""

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    x = x - x.mean(0)
    lengths = x.square().sum(1)
    i, j = torch.triu_indices(n, n, 1)
    squared = (lengths[:, None] + lengths - 2 * x @ x.T)[i, j]
    return ((-t * squared).exp().mean() + 1e-30).log()
