"""The rows of the Jacobian stand in a buffer of fixed dtype, float64, beside float32 vectors.

Fails: test_dtypes (raised), test_no_large_matrix (raised), test_speed (raised)
Says: a buffer has a fixed dtype
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
        x, y = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            residual = ctx.F(x, y)
            slope = torch.empty(len(y), len(y), dtype=torch.float64)
            for row, r in enumerate(residual):
                slope[row] = torch.autograd.grad(r, y, retain_graph=True)[0]
        adjoint = torch.linalg.solve(slope.T, -cotangent)
        return None, torch.autograd.grad(residual, x, adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
