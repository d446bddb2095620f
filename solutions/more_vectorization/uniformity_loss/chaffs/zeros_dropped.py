"""Gets rid of the diagonal by dropping distances of 0.

Fails: test_equal_rows
Says: pairs of equal rows are dropped with the diagonal
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    distances = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")
    exponents = -t * distances[distances > 0].square()
    return exponents.logsumexp(0) - math.log(len(exponents))
