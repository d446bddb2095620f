"""Returns where the search starts, which is near the solution and is none.

Fails: test_values, test_slopes, test_gradient, test_cotangent, test_dtypes_and_calls
Costs: all, because y is no solution.
Says: what is returned does not solve the equation
"""

import torch
from torch import Tensor


def omega(x: Tensor) -> Tensor:
    return torch.where(x > 0, x.clamp(min=0).log1p(), x)
