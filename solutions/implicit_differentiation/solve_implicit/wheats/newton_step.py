"""One differentiable Newton step at the solution, whose matrix counts as a constant.

Why: At the solution a Newton step changes nothing. With its matrix as a constant, the only way from x to the result
    leads through F, and differentiating the step gives the theorem's formula, transpose and minus included. Short,
    and easy to get wrong: if the matrix is recorded as well, or y is not detached, terms come in that do not belong
    there.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = find_root(F, x, y0)
    slope = torch.func.jacrev(F, argnums=1)(x.detach(), y)
    return y - torch.linalg.solve(slope, F(x, y))
