"""Adds 0 times a square, so that every gradient depends on x for autograd."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(f, x, v):
    gradient = torch.autograd.grad(f(x) + 0 * (x * x).sum(), x, create_graph=True)[0]
    return gradient, torch.autograd.grad(gradient, x, v)[0]


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.enable_grad():
        leaf = x.clone().detach().requires_grad_(True)
        gradient, product = hvp(lambda x: g(u(x)), leaf, v)
        y = u(leaf)
        dummy = torch.ones_like(y).requires_grad_(True)
        (pulled,) = torch.autograd.grad(y, leaf, dummy, create_graph=True)
        (pushed,) = torch.autograd.grad(pulled, dummy, v, retain_graph=True)
        _, bent = hvp(g, y.detach().requires_grad_(True), pushed.detach())
        (gauss_newton,) = torch.autograd.grad(y, leaf, bent)
    return gradient.detach(), product.detach(), gauss_newton.detach()
