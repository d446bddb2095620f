"""mm and t() are for matrices.

Fails: test_leading_dimensions (raised)
Says: mm and t() take matrices only, so an input of three dimensions raises
"""

import torch
from torch import Tensor


class ScaledLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input: Tensor, weight: Tensor, bias: Tensor | None, scale: float) -> Tensor:
        needs_input, needs_weight, _, _ = ctx.needs_input_grad
        ctx.save_for_backward(input if needs_weight else None, weight if needs_input else None)
        ctx.scale = scale
        result = scale * (input.mm(weight.t()))
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, grad: Tensor):
        input, weight = ctx.saved_tensors
        needs_input, needs_weight, needs_bias, _ = ctx.needs_input_grad
        rows = grad
        of_input = ctx.scale * grad.mm(weight) if needs_input else None
        of_weight = ctx.scale * (rows.t().mm(input)) if needs_weight else None
        return of_input, of_weight, rows.sum(dim=0) if needs_bias else None, None
