"""Gaussian elimination by hand, with row exchanges; a zero pivot gives infinities."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def eliminate(matrix: Tensor, right: Tensor) -> Tensor:
    """The solution of ``matrix @ v = right``; torch divides by zero without an error."""
    table = torch.cat([matrix, right[:, None]], dim=1)
    size = len(right)
    for k in range(size):
        pivot = k + int(table[k:, k].abs().argmax())
        if pivot != k:
            table[[k, pivot]] = table[[pivot, k]]
        table[k] = table[k] / table[k, k].clone()
        others = torch.arange(size) != k
        table[others] -= table[others, k, None] * table[k]
    return table[:, -1]


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
        adjoint = eliminate(torch.func.jacrev(ctx.F, argnums=1)(x, y).T, cotangent)
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -product(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
