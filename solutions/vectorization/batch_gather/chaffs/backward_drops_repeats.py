"""A backward pass that assigns where it should add.

Fails: test_gradient_of_repeats
Says: the gradients of several copies of an entry are not added up
"""

import torch
from torch import Tensor


class _BatchGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, rows, indices):
        ctx.save_for_backward(rows, indices)
        ctx.shape = values.shape
        return values[rows, indices]

    @staticmethod
    def backward(ctx, grad):
        rows, indices = ctx.saved_tensors
        total = grad.new_zeros(ctx.shape)
        total[rows, indices] = grad
        return total, None, None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return _BatchGather.apply(values, rows, indices)
