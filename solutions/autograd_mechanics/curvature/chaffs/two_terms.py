"""H v is the Gauss-Newton product and a second term, which a linear u does not have.

Fails: test_linear_u (raised), test_both_linear (raised)
Says: u's part of the curvature is differentiated without asking whether it depends on x
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
        return (
            gradient.detach(),
            (gauss_newton + torch.autograd.grad(pull(y, x, pull(g(y), y).detach()), x, v)[0]).detach(),
            gauss_newton.detach(),
        )
