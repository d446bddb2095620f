"""One differentiable Newton step at the solution, whose matrix counts as a constant."""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = find_root(F, x, y0)
    slope = torch.func.jacrev(F, argnums=1)(x.detach(), y)
    return y - torch.linalg.solve(slope, F(x, y))
