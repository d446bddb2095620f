"""Distances where their squares belong.

Fails: test_by_hand, test_far_apart (values), test_two_rows, test_values
Says: the distances are not squared
"""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    exponents = -t * torch.pdist(x)
    return exponents.logsumexp(0) - math.log(len(exponents))
