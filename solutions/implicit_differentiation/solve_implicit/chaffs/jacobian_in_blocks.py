"""Computes the Jacobian in four blocks of rows, with a call of F for each.

Fails: test_calls_of_F
Says: F is called again for each block of rows
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
        blocks = torch.arange(len(y)).split(-(-len(y) // 4))
        slope = torch.cat([torch.func.jacrev(lambda y, rows=rows: ctx.F(x, y)[rows])(y) for rows in blocks])
        adjoint = torch.linalg.solve(slope.T, cotangent)
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -product(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
