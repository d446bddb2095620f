"""Differentiates through one fixed-point step at the solution.

Fails: test_circle_gradient (values), test_two_unknowns (values), test_gradient_of_linear_systems (values),
    test_gradient_of_contractions (values), test_gradient_of_cubic_equations (values), test_badly_scaled (values),
    test_every_size (values), test_singular, test_speed (values)
Costs: 6.5, because no gradient is exact, and few are near.
Says: the inverse of dF/dy is replaced by the first terms of a series
"""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = find_root(F, x, y0)
    residual = F(x, y)
    return y - (residual - residual.detach())
