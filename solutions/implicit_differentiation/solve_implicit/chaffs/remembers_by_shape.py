"""Remembers the solution for a shape, and gives it again for another x.

Fails: test_values (values), test_gradient_of_contractions (values), test_gradient_of_cubic_equations (values)
Costs: 11, because every solution but the first of its shape is wrong.
Says: a solution is kept from an earlier call of the same shape
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


_solutions: dict[object, Tensor] = {}


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        key = (F, x.shape, y0.shape, y0.dtype)
        y = _solutions.setdefault(key, find_root(F, x, y0))
        ctx.F = F
        ctx.save_for_backward(x, y)
        return y.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        x, y = ctx.saved_tensors
        adjoint = torch.linalg.solve(torch.func.jacrev(ctx.F, argnums=1)(x, y).T, cotangent)
        return None, -torch.func.vjp(lambda x: ctx.F(x, y), x)[1](adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
