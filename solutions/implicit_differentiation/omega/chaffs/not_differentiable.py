"""Returns what omega_values returns.

Fails: test_slopes (detached), test_gradient (detached), test_cotangent (detached)
Costs: 0.5, because there is no gradient.
Says: nothing tells autograd about the gradient
"""

import torch
from torch import Tensor


def omega(x: Tensor) -> Tensor:
    return omega_values(x)
