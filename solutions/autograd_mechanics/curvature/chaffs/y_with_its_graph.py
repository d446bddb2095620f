"""Differentiates g by the y that hangs on x, with J v in the graph, which depends on y where u ends in tanh.

Fails: test_gauss_newton (values)
Says: J v is differentiated by y as well, though only g's gradient should be
"""

from collections.abc import Callable

import torch
from torch import Tensor


def by(output: Tensor, leaf: Tensor, cotangent: Tensor | None = None, again: bool = False) -> Tensor:
    if not output.requires_grad:
        return torch.zeros_like(leaf)
    return torch.autograd.grad(output, leaf, cotangent, create_graph=again, retain_graph=True, materialize_grads=True)[0]


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        y = u(x)
        gradient = by(g(y), x, again=True)
        product = by(gradient, x, v)
        c = torch.zeros_like(y, requires_grad=True)
        pushed = by(by(y, x, c, again=True), c, v, again=True)
        slope = by(g(y), y, again=True)
        gauss_newton = by(y, x, by((slope * pushed).sum(), y))
    return gradient.detach(), product.detach(), gauss_newton.detach()
