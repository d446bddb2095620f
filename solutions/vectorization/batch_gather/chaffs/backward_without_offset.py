"""A backward pass that adds every example's gradient to the first.

Fails: test_gradient (values)
Says: your backward pass adds all examples' gradients to the first example
"""

import torch
from torch import Tensor


class _BatchGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, rows, indices):
        ctx.save_for_backward(indices)
        ctx.shape = values.shape
        return values[rows, indices]

    @staticmethod
    def backward(ctx, grad):
        (indices,) = ctx.saved_tensors
        total = grad.new_zeros(ctx.shape)
        total[0].index_put_((indices,), grad, accumulate=True)
        return total, None, None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return _BatchGather.apply(values, rows, indices)
