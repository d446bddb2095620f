"""A hook on a value that is attached to x by one call of F: the idiom of equilibrium models."""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = find_root(F, x, y0)
    if not x.requires_grad:
        return y
    residual = F(x, y)
    attached = y - (residual - residual.detach())

    def through_the_inverse(cotangent: Tensor) -> Tensor:
        slope = torch.func.jacrev(F, argnums=1)(x.detach(), y)
        return torch.linalg.solve(slope.T, cotangent)

    attached.register_hook(through_the_inverse)
    return attached
