"""torch.autograd.functional: hvp, jvp and vjp."""

from collections.abc import Callable

import torch
from torch import Tensor


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    from torch.autograd import functional

    x, v = x.detach(), v.detach()
    gradient = functional.vjp(lambda x: g(u(x)), x)[1]
    product = functional.hvp(lambda x: g(u(x)), x, v)[1]
    y, pushed = functional.jvp(u, x, v)
    bent = functional.hvp(g, y.detach(), pushed.detach())[1]
    back = functional.vjp(u, x, bent.detach())[1]
    return tuple(each.detach() for each in (gradient, product, back))
