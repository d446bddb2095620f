"""Dual numbers go forward, and autograd backward."""

from collections.abc import Callable

import torch
import torch.autograd.forward_ad as forward
from torch import Tensor


def slope(f, x):
    return torch.autograd.grad(f(x), x, create_graph=True)[0]


def changed(f, x, v):
    """The value of f and its change along v."""
    with forward.dual_level():
        value, change = forward.unpack_dual(f(forward.make_dual(x, v)))
        value = value.detach()
        return value, torch.zeros_like(value) if change is None else change.detach()


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    x, v = x.detach(), v.detach()
    with torch.enable_grad():
        leaf = x.clone().requires_grad_()
        gradient, product = changed(lambda x: slope(lambda x: g(u(x)), x), leaf, v)
        y, pushed = changed(u, x, v)
        _, bent = changed(lambda y: slope(g, y), y.requires_grad_(), pushed)
        gauss_newton = torch.autograd.grad(u(leaf), leaf, bent)[0]
    return gradient, product, gauss_newton.detach()
