"""The older interface: torch.autograd.functional.jacobian and a recorded call of F."""

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
        slope = torch.autograd.functional.jacobian(lambda y: ctx.F(x.detach(), y), y)
        adjoint = torch.linalg.solve(slope.mT, -cotangent)
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            residual = ctx.F(x, y.detach())
        (gradient,) = torch.autograd.grad(residual, x, adjoint)
        return None, gradient, None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
