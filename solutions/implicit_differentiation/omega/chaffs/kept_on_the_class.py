"""Keeps the solution on the class instead of on ctx.

Fails: test_dtypes_and_calls
Says: the solution is kept on the class, where the next call overwrites it
"""

import torch
from torch import Tensor


class _Omega(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y = omega_values(x)
        _Omega.y = y
        return y

    @staticmethod
    def backward(ctx, cotangent: Tensor) -> Tensor:
        y = _Omega.y
        return cotangent / (1 + y.exp())


def omega(x: Tensor) -> Tensor:
    return _Omega.apply(x)
