"""One differentiable Newton step at the solution.

Why: at a solution y a Newton step y - (y + exp(y) - x) / (1 + exp(y)) changes nothing. With y detached, x stands in it once, and its
    derivative is 1 / (1 + exp(y)): just what the theorem says. So one recorded step gives value and gradient without a Function.
"""

import torch
from torch import Tensor


def omega(x: Tensor) -> Tensor:
    root = omega_values(x)
    return root - (root + root.exp() - x) / (1 + root.exp())
