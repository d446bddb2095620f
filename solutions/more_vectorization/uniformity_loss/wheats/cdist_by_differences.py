"""cdist, told to take differences, and the pairs above the diagonal."""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = len(x)
    i, j = torch.triu_indices(n, n, 1)
    distances = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")[i, j]
    return (-t * distances**2).logsumexp(0) - math.log(n * (n - 1) / 2)
