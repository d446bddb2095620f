"""Every product is the gradient of a weighted sum."""

from collections.abc import Callable

import torch
from torch import Tensor


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    def slope(number, by, graph=True):
        if number.grad_fn is None:
            return torch.zeros_like(by)
        found = torch.autograd.grad(number, by, create_graph=graph, retain_graph=True, allow_unused=True)[0]
        return torch.zeros_like(by) if found is None else found

    with torch.enable_grad():
        leaf = x.detach().clone()
        leaf.requires_grad = True
        direction = v.detach()
        y = u(leaf)
        gradient = slope(g(y), leaf)
        product = slope(torch.dot(gradient, direction), leaf, graph=False)
        top = torch.tensor(y.tolist(), dtype=y.dtype, requires_grad=True)
        weights = torch.full_like(top, 0.5, requires_grad=True)
        change = slope((slope((weights * y).sum(), leaf) * direction).sum(), weights, graph=False).detach()
        bent = slope((slope(g(top), top) * change).sum(), top, graph=False).detach()
        gauss_newton = slope((bent * y).sum(), leaf, graph=False)
    return gradient.detach(), product.detach(), gauss_newton.detach()
