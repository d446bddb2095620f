"""A helper for Hessian-vector products, which asks whether there is anything to differentiate."""

from collections.abc import Callable

import torch
from torch import Tensor


def product(f, x, v):
    with torch.enable_grad():
        x = x.detach().clone().requires_grad_()
        slope = torch.autograd.grad(f(x), x, create_graph=True, allow_unused=True)[0]
        if slope is None or not slope.requires_grad:
            return torch.zeros_like(x)
        second = torch.autograd.grad(slope @ v, x, allow_unused=True)[0]
        return torch.zeros_like(x) if second is None else second


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    v = v.detach()
    with torch.enable_grad():
        inner = x.detach().clone().requires_grad_()
        y = u(inner)
        gradient = torch.autograd.grad(g(y), inner)[0].detach()
        y = u(inner)
        cotangent = torch.zeros_like(y).requires_grad_()
        pulled = torch.autograd.grad(y, inner, cotangent, create_graph=True)[0]
        pushed = torch.autograd.grad(pulled, cotangent, v)[0].detach()
    here = y.detach()
    bent = product(g, here, pushed).detach()
    with torch.enable_grad():
        gauss_newton = torch.autograd.grad(u(inner), inner, bent)[0].detach()
    return gradient, product(lambda x: g(u(x)), x, v).detach(), gauss_newton
