"""A surrogate of value y, whose only link to x is F, with the inverse applied to a detached factor."""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    solution = find_root(F, x, y0)
    if not x.requires_grad:
        return solution
    factors = torch.linalg.lu_factor(torch.func.jacfwd(F, argnums=1)(x.detach(), solution))
    change = torch.linalg.lu_solve(*factors, F(x, solution).unsqueeze(-1)).squeeze(-1)
    return solution + (change.detach() - change)
