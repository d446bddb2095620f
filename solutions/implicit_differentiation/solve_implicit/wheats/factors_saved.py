"""LU factors made in the forward pass and kept; backwards only a triangular solve."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        y = find_root(F, x, y0)
        factors, pivots = torch.linalg.lu_factor(torch.func.jacrev(F, argnums=1)(x, y))
        ctx.F = F
        ctx.save_for_backward(x, y, factors, pivots)
        return y

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        x, y, factors, pivots = ctx.saved_tensors
        adjoint = torch.linalg.lu_solve(factors, pivots, cotangent[:, None], adjoint=True)[:, 0]
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -product(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
