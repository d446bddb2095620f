"""A backward pass that answers from memory of an earlier one of the same shape.

Fails: test_backward_of_two_calls
Says: the backward pass of an earlier call of the same shape is answered again, although indices and gradients are
    others
"""

import torch
from torch import Tensor

_totals = {}


class _BatchGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, rows, indices):
        ctx.save_for_backward(rows, indices)
        ctx.shape = values.shape
        return values[rows, indices]

    @staticmethod
    def backward(ctx, grad):
        key = (ctx.shape, grad.shape, grad.dtype)
        if key not in _totals:
            _totals[key] = grad.new_zeros(ctx.shape).index_put_(ctx.saved_tensors, grad, accumulate=True)
        return _totals[key], None, None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return _BatchGather.apply(values, rows.expand_as(indices), indices)
