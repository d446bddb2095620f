"""Records every Newton step and differentiates through the search.

Fails: test_memory
Says: the search is recorded, and differentiated through
"""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    y = y0.detach()
    for _ in range(100):
        residual = F(x, y)
        slope = torch.func.jacrev(F, argnums=1)(x, y)
        step = torch.linalg.solve(slope, residual)
        if step.norm() <= 100 * torch.finfo(y.dtype).eps * y.norm():
            return y - step
        length = 1.0
        with torch.no_grad():
            while length > 1e-6 and torch.linalg.solve(slope, F(x, y - length * step)).norm() > step.norm():
                length /= 2
        y = y - length * step
    return y
