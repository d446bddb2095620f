"""backward(create_graph=True) on a leaf of its own: the weights inside g and u get a .grad, too.

Fails: test_traces (inputs)
Says: backward() writes into the .grad of all leaves, also of those inside g and u
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
        g(u(x)).backward(create_graph=True)
        gradient, x.grad = x.grad, None
        pushed = pull(pull(y, x, c), c, v)
        gauss_newton = pull(y, x, pull(pull(g(y), y), y, pushed))
        return gradient.detach(), pull(gradient, x, v).detach(), gauss_newton.detach()
