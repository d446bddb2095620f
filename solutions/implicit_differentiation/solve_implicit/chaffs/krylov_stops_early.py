"""Solves for the adjoint by GMRES, in even units, and stops at a residual of 1e-6.

Fails: test_gradient_of_contractions (values), test_badly_scaled (values)
Says: an iterative solve of the adjoint stops too early
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def gmres(A: Tensor, b: Tensor, tolerance: float = 1e-6) -> Tensor:
    if not b.any():
        return b
    basis = [b / b.norm()]
    H = b.new_zeros(len(b) + 1, len(b))
    for k in range(len(b)):
        w = A @ basis[k]
        for _ in range(2):
            for i, v in enumerate(basis):
                H[i, k] += v @ w
                w = w - (v @ w) * v
        H[k + 1, k] = w.norm()
        target = b.new_zeros(k + 2, 1)
        target[0] = b.norm()
        part = H[: k + 2, : k + 1]
        weights = torch.linalg.lstsq(part, target).solution
        if (part @ weights - target).norm() <= tolerance * b.norm():
            break
        basis.append(w / w.norm())
    return torch.stack(basis[: len(weights)]).T @ weights[:, 0]


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
        y = find_root(F, x, y0)
        ctx.F = F
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[None, Tensor, None]:
        x, y = (saved.detach() for saved in ctx.saved_tensors)
        slope = torch.func.jacrev(ctx.F, argnums=1)(x, y)
        if torch.linalg.lu_factor_ex(slope).info:
            raise RuntimeError("dF/dy is singular")
        unknowns = slope.norm(dim=0)
        equations = (slope / unknowns).norm(dim=1)
        even = slope / unknowns / equations[:, None]
        adjoint = gmres(even.T, cotangent / unknowns) / equations
        _, product = torch.func.vjp(lambda x: ctx.F(x, y), x)
        return None, -product(adjoint)[0], None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return Solve.apply(F, x, y0)
