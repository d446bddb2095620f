"""A custom autograd.Function on the flattened batch; the backward pass is index_add_."""

import math

import torch
from torch import Tensor


class FlatGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, table, index):
        ctx.save_for_backward(index)
        ctx.rows = table.shape[0]
        return table.index_select(0, index)

    @staticmethod
    def backward(ctx, grad):
        (index,) = ctx.saved_tensors
        return grad.new_zeros((ctx.rows, grad.shape[1])).index_add_(0, index, grad), None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    if torch.any(indices > count - 1):
        raise IndexError("index out of bounds")
    example = torch.arange(batch, device=indices.device).view([batch] + [1] * (indices.dim() - 1))
    index = torch.add(indices, example, alpha=count)
    table = values.reshape(batch * count, math.prod(values.shape[2:]))
    return FlatGather.apply(table, index.reshape(-1)).reshape(indices.shape + values.shape[2:])
