"""A custom Function with a right forward pass; the backward pass recomputes from the unshifted logits.

Fails: test_gradient_of_large_logits (nan)
Says: the backward pass computes exp of logits that were not shifted
"""

import torch
from torch import Tensor


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        ctx.dim = dim
        return torch.softmax(x, dim)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        exps = x.exp()
        p = exps / exps.sum(ctx.dim, keepdim=True)
        return p * (grad - (grad * p).sum(ctx.dim, keepdim=True)), None


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return _Softmax.apply(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
