"""Takes the derivative at x instead of y.

Fails: test_slopes, test_gradient
Says: the derivative is taken at x, and not at the solution y, or one of the two terms of y + exp(y) was left out
"""

import torch
from torch import Tensor


class _Omega(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y = omega_values(x)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, cotangent: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return cotangent / (1 + x.exp())


def omega(x: Tensor) -> Tensor:
    return _Omega.apply(x)
