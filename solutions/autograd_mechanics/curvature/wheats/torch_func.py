"""torch.func: forward mode over reverse mode, which gives zeros by itself."""

from collections.abc import Callable

import torch
from torch import Tensor


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    x, v = x.detach(), v.detach()

    def both(x):
        return g(u(x))

    gradient, product = torch.func.jvp(torch.func.grad(both), (x,), (v,))
    y, pushed = torch.func.jvp(u, (x,), (v,))
    _, bent = torch.func.jvp(torch.func.grad(g), (y,), (pushed,))
    _, pull = torch.func.vjp(u, x)
    return gradient.detach(), product.detach(), pull(bent)[0].detach()
