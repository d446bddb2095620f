"""The formula as it stands: squares, sum, root.

Fails: test_range, test_float64, test_zero (nan), test_gradient_sizes
Says: the squares leave the range of the dtype, and a vector of zeros is divided by 0
"""

from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    return x / (x * x).sum(dim, keepdim=True).sqrt()
