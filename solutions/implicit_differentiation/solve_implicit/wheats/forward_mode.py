"""The Jacobian by forward mode, in a helper class that holds one linearisation."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Linearisation:
    """dF/dy at a solution, and products with the transposes of its inverse and of dF/dx."""

    def __init__(self, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor) -> None:
        self.F, self.x, self.y = F, x.detach(), y.detach()

    def back_through_inverse(self, cotangent: Tensor) -> Tensor:
        slope = torch.func.jacfwd(self.F, argnums=1)(self.x, self.y)
        return torch.linalg.solve(slope, cotangent[None, :], left=False)[0]

    def back_to_x(self, cotangent: Tensor) -> Tensor:
        product = torch.func.vjp(self.F, self.x, self.y)[1]
        return product(cotangent)[0]


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        y = find_root(F, x, y0)
        ctx.linearisation = Linearisation(F, x, y)
        return y.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        line = ctx.linearisation
        return None, -line.back_to_x(line.back_through_inverse(cotangent)), None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
