"""Keeps the dimension that it reduces, so the result has the shape [1].

Fails: test_by_hand, test_far_apart, test_two_rows, test_values
Says: The result for two rows has shape [1]; expected []
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    exponents = -t * torch.pdist(x).square()
    return exponents.logsumexp(dim=0, keepdim=True) - math.log(len(exponents))
