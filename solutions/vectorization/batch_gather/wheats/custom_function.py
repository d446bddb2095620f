"""A custom autograd.Function whose backward pass adds with index_put_."""

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
        return total.index_put_((rows, indices), grad, accumulate=True), None, None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(values.size(0), device=values.device).view(-1, *(1,) * (indices.ndim - 1))
    return _BatchGather.apply(values, rows.expand_as(indices), indices)
