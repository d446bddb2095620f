"""A Function whose gradient of scale is 0 outside the range, as that of x is.

Fails: test_scale_outside (values)
Says: outside the range scale gets the gradient 0, as x does
"""

import torch
from torch import Tensor


class _Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, bits):
        half = 2 ** (bits - 1)
        z = x / scale
        n = z.clamp(-half, half - 1).round()
        ctx.save_for_backward(z, n, (z >= -half) & (z <= half - 1))
        ctx.size = scale.shape
        return n * scale

    @staticmethod
    def backward(ctx, gradient):
        z, n, inside = ctx.saved_tensors
        for_scale = gradient * torch.where(inside, n - z, n)
        return gradient * inside, (for_scale * inside).sum_to_size(ctx.size), None


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    return _Quantize.apply(x, scale, bits)
