"""Hangs the solution on F by subtracting F(x, y), which is 0 but for rounding, in units that may be far from those of y.

Fails: test_badly_scaled (values)
Says: F(x, y) is subtracted from the solution, which is 0 but for rounding
"""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = find_root(F, x, y0)
    if not x.requires_grad:
        return y
    nothing = -F(x, y)
    slope = torch.func.jacrev(F, argnums=1)(x.detach(), y)
    nothing.register_hook(lambda cotangent: torch.linalg.solve(slope.T, cotangent))
    return y + nothing
