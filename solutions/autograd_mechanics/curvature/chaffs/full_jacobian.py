"""Two products, but the Jacobian of u in full.

Fails: test_memory
Says: a matrix is formed where only its product with a vector is asked for
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
        J = torch.autograd.functional.jacobian(u, x.detach()).detach()
        gauss_newton = J.T @ pull(pull(g(y), y), y, J @ v)
        return gradient.detach(), pull(gradient, x, v).detach(), gauss_newton.detach()
