"""The formula for one unknown, entry by entry, used for vectors.

Fails: test_two_unknowns (values), test_gradient_of_linear_systems (values), test_gradient_of_contractions (values),
    test_gradient_of_cubic_equations (values), test_badly_scaled (values), test_every_size (values), test_singular,
    test_speed (values)
Costs: 6, because every gradient with more than one unknown is wrong.
Says: the formula for one unknown is used entry by entry
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
        with torch.enable_grad():
            x, y = (t.detach().requires_grad_() for t in ctx.saved_tensors)
            dF_dx, dF_dy = torch.autograd.grad(ctx.F(x, y).sum(), (x, y))
        return None, -dF_dx * (cotangent / dF_dy).mean(), None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
