"""Reads dF/dy as one number.

Fails: test_two_unknowns (raised), test_gradient_of_linear_systems (raised), test_gradient_of_contractions (raised),
    test_gradient_of_cubic_equations (raised), test_every_cotangent (raised), test_badly_scaled (raised),
    test_every_size (raised), test_two_solutions (raised), test_warm_start (raised), test_singular (raised),
    test_dtypes (raised), test_start_gets_no_gradient (raised), test_no_large_matrix (raised), test_calls_of_F
    (raised), test_speed (raised)
Costs: 9.5, because nothing with more than one unknown can be differentiated.
Says: dF/dy is read as one number, and not as a matrix
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        y = find_root(F, x, y0)
        ctx.F = F
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        x, y = ctx.saved_tensors
        slope = torch.func.jacrev(ctx.F, argnums=1)(x, y)
        adjoint = cotangent / slope.item()
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -product(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
