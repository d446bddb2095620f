"""Spread over several cells, the Function below the solution cell."""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    if not (x.requires_grad and torch.is_grad_enabled()):
        return find_root(F, x, y0)
    return Layer.apply(x, lambda x: find_root(F, x, y0), F)


# %%
def columns_of(F, x, y):
    """dF/dy by pushing every unit vector forward."""
    basis = torch.eye(len(y)).to(y)
    return torch.func.vmap(lambda v: torch.func.jvp(lambda y: F(x, y), (y,), (v,))[1], out_dims=1)(basis)


# %%
class Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, solver, F):
        ctx.F = F
        y = solver(x)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        u = torch.linalg.solve(columns_of(ctx.F, x, y).T, grad)
        return -torch.func.vjp(ctx.F, x, y)[1](u)[0], None, None
