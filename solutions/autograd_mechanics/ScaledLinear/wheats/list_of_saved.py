"""Saves a list of what is wanted, and reads it from its end."""

import torch
from torch import Tensor


class ScaledLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, scale):
        ctx.scale = scale
        wanted = []
        if ctx.needs_input_grad[0]:
            wanted.append(weight)
        if ctx.needs_input_grad[1]:
            wanted.append(input)
        ctx.save_for_backward(*wanted)
        out = torch.matmul(input, weight.t()).mul(scale)
        if bias is None:
            return out
        return out + bias.expand_as(out)

    @staticmethod
    def backward(ctx, grad):
        saved = list(ctx.saved_tensors)
        grads = [None, None, None, None]
        if ctx.needs_input_grad[1]:
            x = saved.pop()
            grads[1] = ctx.scale * grad.reshape(-1, grad.shape[-1]).t().mm(x.reshape(-1, x.shape[-1]))
        if ctx.needs_input_grad[0]:
            grads[0] = ctx.scale * grad.matmul(saved.pop())
        if ctx.needs_input_grad[2]:
            grads[2] = grad.sum(dim=tuple(range(grad.dim() - 1)))
        return tuple(grads)
