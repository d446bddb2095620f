"""A Newton search of its own, with step halving, and the Function as a closure."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def newton(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor) -> Tensor:
    slope_of = torch.func.jacrev(F, argnums=1)
    for _ in range(60):
        residual = F(x, y)
        if not residual.any():
            return y
        slope = slope_of(x, y)
        step = torch.linalg.solve(slope, residual)
        if step.norm() <= 100 * torch.finfo(y.dtype).eps * y.norm():
            return y - step
        length = 1.0
        while length > 1e-6 and torch.linalg.solve(slope, F(x, y - length * step)).norm() > step.norm():
            length /= 2
        y = y - length * step
    return y


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    class Solution(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            y = newton(F, x.detach(), y0.detach().clone())
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx: Any, cotangent: Tensor) -> Tensor:
            x, y = ctx.saved_tensors
            adjoint = torch.linalg.solve(torch.func.jacrev(F, argnums=1)(x, y).T, cotangent)
            return -torch.func.vjp(lambda x: F(x, y), x)[1](adjoint)[0]

    return Solution.apply(x)
