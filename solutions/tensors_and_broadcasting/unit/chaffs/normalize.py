"""Calls normalize, whose eps is 1e-12.

Fails: test_range, test_float64, test_gradient_sizes
Says: entries are squared as they are, large or small
"""

from torch import Tensor
from torch.nn import functional as F


def unit(x: Tensor, dim: int = -1) -> Tensor:
    return F.normalize(x, dim=dim)
