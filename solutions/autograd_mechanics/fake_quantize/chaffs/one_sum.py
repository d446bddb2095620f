"""A Function that sums the gradient of scale over everything.

Fails: test_scale_of_rows (values)
Says: the gradient of scale is summed over all rows
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
        return gradient * inside, for_scale.sum().expand(ctx.size), None


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    return _Quantize.apply(x, scale, bits)
