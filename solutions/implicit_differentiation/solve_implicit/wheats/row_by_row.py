"""The Jacobian row by row, m backward passes through one recorded call of F."""

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
        x, y = (t.detach().clone().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            residual = ctx.F(x, y)
            slope = torch.stack([torch.autograd.grad(r, y, retain_graph=True)[0] for r in residual])
        lam = torch.linalg.solve(slope.T, cotangent)
        return None, torch.autograd.grad(residual, x, -lam)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
