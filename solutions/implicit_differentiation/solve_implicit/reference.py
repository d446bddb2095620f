"""A function of autograd's own: search without a record, then one Jacobian, one solve and one product backwards.

Why: The search is made in forward, where nothing is recorded, and only x and y are kept. Backwards the cotangent c is
    turned into the adjoint z of (dF/dy)^T z = c, one system with one right-hand side; then -z goes through dF/dx as a
    vector-Jacobian product, which never forms that matrix. The transpose, the minus and the point y are all that the
    theorem says.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class ImplicitSolve(torch.autograd.Function):
    """y with F(x, y) = 0, differentiated by the implicit function theorem."""

    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        y = find_root(F, x, y0)  # noqa: F821 - the notebook's
        ctx.F = F
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        x, y = (tensor.detach() for tensor in ctx.saved_tensors)
        slope = torch.func.jacrev(ctx.F, argnums=1)(x, y)
        adjoint = torch.linalg.solve(slope.T, cotangent)
        _, pull_back = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -pull_back(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return ImplicitSolve.apply(F, x, y0)
