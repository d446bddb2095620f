"""The Gauss-Newton product is H v of g at y + J (x' - x), by torch.func.linearize-like closures."""

from collections.abc import Callable

import torch
from torch import Tensor


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    x, v = x.detach(), v.detach()
    y, pull = torch.func.vjp(u, x)
    y = y.detach()

    def push(d):
        return torch.func.jvp(u, (x,), (d,))[1]

    def model(d):
        return g(y + push(d))

    def hvp(f, x):
        return torch.func.vjp(torch.func.grad(f), x)[1](v)[0]

    gradient = torch.func.grad(lambda x: g(u(x)))(x)
    product = hvp(lambda x: g(u(x)), x)
    gauss_newton = hvp(model, torch.zeros_like(x))
    return gradient.detach(), product.detach(), gauss_newton.detach()
