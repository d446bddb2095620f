"""A backward pass that gives an entry the mean of the gradients of its copies.

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
        places = ctx.saved_tensors
        total = grad.new_zeros(ctx.shape).index_put_(places, grad, accumulate=True)
        copies = grad.new_zeros(ctx.shape).index_put_(places, torch.ones_like(grad), accumulate=True)
        return total / copies.clamp(min=1), None, None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return _BatchGather.apply(values, rows.expand_as(indices), indices)
