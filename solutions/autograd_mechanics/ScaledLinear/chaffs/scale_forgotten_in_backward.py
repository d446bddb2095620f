"""The backward pass does not know the scale.

Fails: test_after_backward (factor), test_gradient_of_input (factor), test_gradient_of_weight (factor)
Says: the scale is missing in the backward pass
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
        of_input = grad @ weight if needs_input else None
        of_weight = rows.T @ input.flatten(0, -2) if needs_weight else None
        return of_input, of_weight, rows.sum(dim=0) if needs_bias else None, None
