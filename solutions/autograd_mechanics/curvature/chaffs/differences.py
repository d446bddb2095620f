"""H v by small differences of the gradient.

Fails: test_hessian_on_paper (values), test_hessian (values)
Says: H v is a difference of two gradients, which has half of the digits
"""

from collections.abc import Callable

import torch
from torch import Tensor


def pull(y: Tensor, x: Tensor, c: Tensor | None = None) -> Tensor:
    if not y.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(y, x, c, create_graph=True, materialize_grads=True)[0]


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        y = u(x)
        c = torch.zeros_like(y, requires_grad=True)
        gradient = pull(g(y), x)
        pushed = pull(pull(y, x, c), c, v)
        gauss_newton = pull(y, x, pull(pull(g(y), y), y, pushed))
        return (
            gradient.detach(),
            ((pull(g(u(moved := (x + 1e-6 * v).detach().requires_grad_())), moved) - gradient) / 1e-6).detach(),
            gauss_newton.detach(),
        )
