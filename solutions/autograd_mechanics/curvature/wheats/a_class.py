"""A class that keeps the graph of u, and is thrown away after the call."""

from collections.abc import Callable

import torch
from torch import Tensor


class Inner:
    def __init__(self, u, x):
        self.x = x.detach().requires_grad_()
        self.y = u(self.x)

    def back(self, c, keep=False):
        return torch.autograd.grad(self.y, self.x, c, retain_graph=True, create_graph=keep)[0]

    def forth(self, v):
        c = torch.randn_like(self.y).requires_grad_()
        return torch.autograd.grad((self.back(c, keep=True) * v).sum(), c)[0]


def bend(f, x, v):
    x = x.detach().requires_grad_()
    first = torch.autograd.grad(f(x), x, create_graph=True)[0]
    if first.grad_fn is None:
        return first, torch.zeros_like(x)
    try:
        second = torch.autograd.grad((first * v).sum(), x, allow_unused=True)[0]
    except RuntimeError:
        second = None
    return first, torch.zeros_like(x) if second is None else second


@torch.enable_grad()
def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    inner = Inner(u, x)
    gradient, product = bend(lambda x: g(u(x)), x, v.detach())
    _, bent = bend(g, inner.y, inner.forth(v.detach()).detach())
    return gradient.detach(), product.detach(), inner.back(bent.detach()).detach()
