"""Forms the m x n matrix dF/dx, and multiplies it with the adjoint.

Fails: test_no_large_matrix
Says: the whole matrix dF/dx is computed, where one product with it is enough
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
        adjoint = torch.linalg.solve(torch.func.jacrev(ctx.F, argnums=1)(x, y).T, cotangent)
        return None, -adjoint @ torch.func.jacrev(ctx.F, argnums=0)(x, y), None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
