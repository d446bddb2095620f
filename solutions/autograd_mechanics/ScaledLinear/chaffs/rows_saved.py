"""Folds the input in forward, and saves the rows: a new tensor for autograd.

Fails: test_second_derivatives
Says: what is saved was computed in forward, so second derivatives do not find the inputs
"""

import torch
from torch import Tensor


class ScaledLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input: Tensor, weight: Tensor, bias: Tensor | None, scale: float) -> Tensor:
        needs_input, needs_weight, _, _ = ctx.needs_input_grad
        rows = input.reshape(-1, input.shape[-1])
        ctx.save_for_backward(rows if needs_weight else None, weight if needs_input else None)
        ctx.scale = scale
        result = scale * (input @ weight.T)
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, grad: Tensor):
        input, weight = ctx.saved_tensors
        needs_input, needs_weight, needs_bias, _ = ctx.needs_input_grad
        rows = grad.flatten(0, -2)
        of_input = ctx.scale * (grad @ weight) if needs_input else None
        of_weight = ctx.scale * (rows.T @ input) if needs_weight else None
        return of_input, of_weight, rows.sum(dim=0) if needs_bias else None, None
