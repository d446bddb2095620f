"""GMRES by hand on the equilibrated transpose, restarted until only rounding is left."""

from collections.abc import Callable

import torch
from torch import Tensor


def equilibrate(A: Tensor, rounds: int = 10) -> tuple[Tensor, Tensor, Tensor]:
    """r, A', c with A' = r A c, whose rows and columns all have a norm near 1."""
    r, c = A.new_ones(len(A)), A.new_ones(len(A))
    for _ in range(rounds):
        by_row, by_column = A.norm(dim=1).rsqrt(), A.norm(dim=0).rsqrt()
        A, r, c = by_row[:, None] * A * by_column, r * by_row, c * by_column
    return r, A, c


def cycle(A: Tensor, residual: Tensor) -> Tensor:
    """The correction of one full GMRES cycle."""
    m, beta = len(A), residual.norm()
    basis = A.new_zeros(m + 1, m)
    hessenberg = A.new_zeros(m + 1, m)
    basis[0] = residual / beta
    steps = m
    for k in range(m):
        w = A @ basis[k]
        for _ in range(2):  # twice is enough
            h = basis[: k + 1] @ w
            w = w - h @ basis[: k + 1]
            hessenberg[: k + 1, k] += h
        size = w.norm()
        hessenberg[k + 1, k] = size
        if size <= 1e-14:  # the norm of A is about 1
            steps = k + 1
            break
        basis[k + 1] = w / size
    start = A.new_zeros(steps + 1, 1)
    start[0] = beta
    weights = torch.linalg.lstsq(hessenberg[: steps + 1, :steps], start).solution[:, 0]
    return weights @ basis[:steps]


def gmres(A: Tensor, b: Tensor) -> Tensor:
    if torch.linalg.slogdet(A).sign == 0:
        raise ArithmeticError("dF/dy is singular")
    r, A, c = equilibrate(A)
    b = r * b
    z, residual = torch.zeros_like(b), b
    for _ in range(4):
        if residual.norm() <= 1e-15 * b.norm():
            break
        z = z + cycle(A, residual)
        residual = b - A @ z
    return c * z


class KrylovSolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, y0: Tensor, F) -> Tensor:
        y = find_root(F, x, y0)
        ctx.save_for_backward(x, y)
        ctx.F = F
        return y

    @staticmethod
    def backward(ctx, cotangent: Tensor):
        F, (x, y) = ctx.F, ctx.saved_tensors
        jacobian = torch.func.jacrev(F, argnums=1)(x.detach(), y.detach())
        z = gmres(jacobian.T.double(), cotangent.double()).to(y.dtype)
        _, pull_back_x = torch.func.vjp(lambda x: F(x, y.detach()), x.detach())
        return -pull_back_x(z)[0], None, None


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return KrylovSolution.apply(x, y0.detach(), F)
