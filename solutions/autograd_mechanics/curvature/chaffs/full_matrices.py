"""All matrices in full.

Fails: test_memory
Says: a matrix is formed where only its product with a vector is asked for
"""

from collections.abc import Callable

import torch
from torch import Tensor


def curvature(
    g: Callable[[Tensor], Tensor], u: Callable[[Tensor], Tensor], x: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    from torch.autograd.functional import hessian, jacobian

    x, v = x.detach(), v.detach()
    y = u(x).detach()
    J = jacobian(u, x)
    gradient = jacobian(lambda x: g(u(x)), x)
    H = hessian(lambda x: g(u(x)), x)
    return gradient.detach(), H.detach() @ v, J.detach().T @ (hessian(g, y).detach() @ (J.detach() @ v))
