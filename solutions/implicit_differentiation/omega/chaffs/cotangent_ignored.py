"""Ignores the cotangent: the gradient of the sum.

Fails: test_cotangent
Says: backward ignores the gradient that it is given
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
        return 1 / (1 + y.exp())


def omega(x: Tensor) -> Tensor:
    return _Omega.apply(x)
