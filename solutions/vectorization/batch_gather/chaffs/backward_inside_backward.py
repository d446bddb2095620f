"""A backward pass that computes the gather again and calls backward() on it, which leaves the gradient in .grad a second time.

Fails: test_gradient (values)
Says: your backward pass calls `.backward()` itself: that adds to `.grad`, and what you return is added once more
"""

import torch
from torch import Tensor


def _gathered(values, indices):
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return values[rows, indices]


class _BatchGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, indices):
        ctx.values, ctx.indices = values, indices
        return _gathered(values, indices)

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            _gathered(ctx.values, ctx.indices).backward(grad)
        return ctx.values.grad.clone(), None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return _BatchGather.apply(values, indices)
