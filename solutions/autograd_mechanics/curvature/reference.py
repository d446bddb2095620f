"""Each product is one call of autograd, read from the right; what depends on nothing gives zeros.

Why: v is the vector in H v: the gradient's derivative along v. For Jᵀ (∇²g) J v, the gradient of g is differentiated by y = u(x), where it
    ends: nothing of u's own curvature comes in. J v needs a step forward. The trick is that Jᵀ c is linear in c, and that its
    derivative along v is J v. The gradient of a linear function is a constant for autograd, which refuses to take a
    derivative of it, or finds it made of weights alone (materialize_grads): it is 0.
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
        return gradient.detach(), pull(gradient, x, v).detach(), gauss_newton.detach()
