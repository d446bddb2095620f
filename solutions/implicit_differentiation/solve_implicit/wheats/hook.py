"""A hook on a value that is attached to x by one call of F: the idiom of equilibrium models.

Why: The solution is attached to x by one recorded call of F, whose value is 0, and a hook replaces the gradient that
    passes there by the solution of the transposed system. Autograd does the rest by the chain rule. Equilibrium
    models are often trained so; the graph of one call of F is kept, which is more than two vectors and does not grow
    with the search.
"""

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
