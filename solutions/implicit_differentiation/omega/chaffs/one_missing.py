"""Differentiates exp(y) = x, without the y.

Fails: test_slopes, test_gradient
Says: the derivative is taken at x, and not at the solution y, or one of the two terms of y + exp(y) was left out
"""

import torch
from torch import Tensor


class _Omega(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y = omega_values(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, cotangent: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return cotangent / y.exp()


def omega(x: Tensor) -> Tensor:
    return _Omega.apply(x)
