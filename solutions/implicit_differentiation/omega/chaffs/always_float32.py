"""Computes in float32, whatever x is.

Fails: test_dtypes_and_calls (dtype)
Says: everything is computed in float32
"""

import torch
from torch import Tensor


class _Omega(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y = omega_values(x.float())
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, cotangent: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return (cotangent / (1 + y.exp())).to(torch.float64)


def omega(x: Tensor) -> Tensor:
    return _Omega.apply(x)
