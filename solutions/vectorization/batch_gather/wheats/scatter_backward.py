"""A custom autograd.Function with setup_context, gather forward and scatter_add backward."""

import math

import torch
from torch import Tensor


class Pick(torch.autograd.Function):
    @staticmethod
    def forward(values, index):
        return values.gather(1, index)

    @staticmethod
    def setup_context(ctx, inputs, output):
        values, index = inputs
        ctx.shape = values.shape
        ctx.save_for_backward(index)

    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype, device=grad_output.device)
        return zeros.scatter_add(1, index, grad_output), None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    index = indices.reshape(len(indices), math.prod(indices.shape[1:]), *[1] * len(rest)).expand(-1, -1, *rest)
    return Pick.apply(values, index).reshape(indices.shape + rest)
