"""Nobody switches no_grad off.

Fails: test_anywhere
Says: under no_grad nothing is recorded, and nobody switches it off
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
    if True:
        x = x.detach().requires_grad_()
        y = u(x)
        c = torch.zeros_like(y, requires_grad=True)
        gradient = pull(g(y), x)
        pushed = pull(pull(y, x, c), c, v)
        gauss_newton = pull(y, x, pull(pull(g(y), y), y, pushed))
        return gradient.detach(), pull(gradient, x, v).detach(), gauss_newton.detach()
