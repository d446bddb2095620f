"""Computes in float64 and forgets to cast the solution back.

Fails: test_dtypes (dtype)
Says: the solution stays in float64, whatever comes
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        y = find_root(F, x.double(), y0.double())
        ctx.F = F
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        x, y = ctx.saved_tensors
        slope = torch.func.jacrev(ctx.F, argnums=1)(x.double(), y)
        adjoint = torch.linalg.solve(slope.T, cotangent.double())
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x.double())
        return None, -product(adjoint)[0].to(x.dtype), None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
