"""A Function for clamp and round together, which hands on the gradient as it is.

Fails: test_x_outside, test_scale_outside (values)
Says: the gradient passes the clamp as if nothing were clamped
"""

import torch
from torch import Tensor


class _Nearest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, bits):
        half = 2 ** (bits - 1)
        return z.clamp(-half, half - 1).round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    return scale * _Nearest.apply(x / scale, bits)
