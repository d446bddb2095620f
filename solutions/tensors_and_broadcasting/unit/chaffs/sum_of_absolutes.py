"""Divides by the sum of the absolute values.

Fails: test_by_hand, test_range, test_gradient, test_dim, test_rows, test_float64, test_zero, test_nan, test_gradient_sizes, test_inputs_untouched
Costs: all, because no value is right.
Says: the norm is not the Euclidean one
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.abs().amax(dim, keepdim=True)
    y = x / torch.where(largest == 0, 1.0, largest)
    norm = y.abs().sum(dim, keepdim=True)
    return y / torch.where(norm == 0, 1.0, norm)
