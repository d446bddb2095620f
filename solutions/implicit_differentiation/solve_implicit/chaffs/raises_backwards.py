"""A backward pass that always raises, which no singular matrix can be told from.

Fails: test_circle_gradient (raised), test_two_unknowns (raised), test_gradient_of_linear_systems (raised),
    test_gradient_of_contractions (raised), test_gradient_of_cubic_equations (raised), test_every_cotangent (raised),
    test_badly_scaled (raised), test_every_size (raised), test_two_solutions (raised), test_warm_start (raised),
    test_singular (raised), test_dtypes (raised), test_start_gets_no_gradient (raised), test_no_large_matrix (raised),
    test_calls_of_F (raised), test_speed (raised)
Costs: 10, because nothing can be differentiated.
Says: the backward pass always ends in an error
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        return find_root(F, x, y0)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        raise RuntimeError("singular matrix")


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
