"""The Jacobian by finite differences of F.

Fails: test_gradient_of_contractions (values), test_badly_scaled, test_dtypes (raised), test_no_large_matrix
    (raised), test_calls_of_F, test_speed (raised)
Says: the Jacobian is computed by finite differences
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
        nudge = 1e-9
        units = torch.eye(len(y)).to(y)
        slope = torch.stack([(ctx.F(x, y + nudge * u) - ctx.F(x, y)) / nudge for u in units], dim=1)
        adjoint = torch.linalg.solve(slope.T, cotangent)
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -product(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
