"""An autograd function of its own: a view going forward, and a sum over the patches of each pixel going backward."""

import torch
from torch import Tensor


class _Patches(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, size, stride, dilation):
        *outer, down, right = x.stride()
        *batch, height, width = x.shape
        reach = (size - 1) * dilation + 1
        assert min(height, width) >= reach, "too small an image"
        ctx.shape, ctx.settings = x.shape, (size, stride, dilation)
        rows, columns = (height - reach) // stride + 1, (width - reach) // stride + 1
        return x.as_strided(
            (*batch, rows, columns, size, size), (*outer, down * stride, right * stride, down * dilation, right * dilation)
        )

    @staticmethod
    def backward(ctx, cotangent):
        size, stride, dilation = ctx.settings
        rows, columns = cotangent.shape[-4:-2]
        gradient = cotangent.new_zeros(ctx.shape)
        for p in range(size):
            for q in range(size):
                down = slice(p * dilation, p * dilation + (rows - 1) * stride + 1, stride)
                right = slice(q * dilation, q * dilation + (columns - 1) * stride + 1, stride)
                gradient[..., down, right] += cotangent[..., p, q]
        return gradient, None, None, None


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    return _Patches.apply(x, size, stride, dilation)
