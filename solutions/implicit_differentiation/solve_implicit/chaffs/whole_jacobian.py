"""Forms the m x n matrix dy/dx, with one solve for all its columns.

Fails: test_no_large_matrix, test_speed
Says: the whole matrix dy/dx is formed, where one system is enough
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
        slope_x, slope_y = torch.func.jacrev(ctx.F, argnums=(0, 1))(x, y)
        return None, -cotangent @ torch.linalg.solve(slope_y, slope_x), None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
