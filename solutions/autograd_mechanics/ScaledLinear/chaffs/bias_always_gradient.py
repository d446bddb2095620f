"""A gradient for the bias, also where there is none.

Fails: test_no_bias (raised)
Says: backward returns a gradient for a bias that is not there
"""

import torch
from torch import Tensor


class ScaledLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input: Tensor, weight: Tensor, bias: Tensor | None, scale: float) -> Tensor:
        needs_input, needs_weight, _, _ = ctx.needs_input_grad
        ctx.save_for_backward(input if needs_weight else None, weight if needs_input else None)
        ctx.scale = scale
        result = scale * (input @ weight.T)
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, grad: Tensor):
        input, weight = ctx.saved_tensors
        needs_input, needs_weight, needs_bias, _ = ctx.needs_input_grad
        rows = grad.flatten(0, -2)
        of_input = ctx.scale * (grad @ weight) if needs_input else None
        of_weight = ctx.scale * (rows.T @ input.flatten(0, -2)) if needs_weight else None
        return of_input, of_weight, rows.sum(dim=0), None
