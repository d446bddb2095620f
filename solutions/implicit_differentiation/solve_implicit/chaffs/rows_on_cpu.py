"""Asks for the rows of the Jacobian by an identity matrix that is made on the CPU.

Fails: test_on_a_gpu
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
        with torch.enable_grad():
            x = x.detach().requires_grad_(True)
            y = y.detach().requires_grad_(True)
            residual = ctx.F(x, y)
            rows = torch.eye(y.numel(), dtype=y.dtype)
            (slope,) = torch.autograd.grad(residual, y, rows, retain_graph=True, is_grads_batched=True)
            adjoint = torch.linalg.solve(slope.t(), cotangent)
            (gradient,) = torch.autograd.grad(residual, x, adjoint)
        return None, -gradient, None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
