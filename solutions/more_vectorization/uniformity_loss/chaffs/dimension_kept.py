"""Keeps the dimension that it reduces, so the result has the shape [1].

Fails: test_by_hand, test_far_apart, test_two_rows, test_values
Says: the result keeps the dimension that was reduced
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    exponents = -t * torch.pdist(x).square()
    return exponents.logsumexp(dim=0, keepdim=True) - math.log(len(exponents))
