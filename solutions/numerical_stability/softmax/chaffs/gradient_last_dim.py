"""A custom Function whose backward pass sums along the last dimension, whatever dim is.

Fails: test_gradient_along_dim (values)
Says: the backward pass works along the last dimension, whatever dim is
"""

import torch
from torch import Tensor


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        p = torch.softmax(x, dim)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        return p * (grad - (grad * p).sum(-1, keepdim=True)), None


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return _Softmax.apply(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
