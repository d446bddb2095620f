"""Repeats y - F(x, y) thirty times with autograd watching, which suits contractions alone.

Fails: test_circle (values), test_circle_gradient (values), test_two_unknowns (values), test_values (values),
    test_gradient_of_linear_systems (values), test_gradient_of_contractions (values), test_gradient_of_cubic_equations
    (nan), test_every_size (values)
Costs: all, because nothing but contractions is solved.
Says: a fixed-point iteration is repeated and recorded, which suits contractions alone
"""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = y0.detach()
    for _ in range(30):
        y = y - F(x, y)
    return y
