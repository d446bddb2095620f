"""The backward pass is made of calls of the same Function."""

import torch
from torch import Tensor


class ScaledLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, scale):
        ctx.scale = scale
        ctx.save_for_backward(x if ctx.needs_input_grad[1] else None, weight if ctx.needs_input_grad[0] else None)
        y = scale * (x @ weight.T)
        return y if bias is None else y + bias

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        to_x = to_weight = to_bias = None
        if weight is not None:
            to_x = ScaledLinear.apply(g, weight.T, None, ctx.scale)
        if x is not None:
            to_weight = ScaledLinear.apply(g.flatten(0, -2).T, x.flatten(0, -2).T, None, ctx.scale)
        if ctx.needs_input_grad[2]:
            to_bias = g.flatten(0, -2).sum(0)
        return to_x, to_weight, to_bias, None
