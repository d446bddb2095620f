"""A custom Function whose backward pass uses the probabilities of the first call of that shape.

Fails: test_gradient (values)
Says: the backward pass uses what an earlier call of the same shape has left behind
"""

import torch
from torch import Tensor

_first: dict[object, Tensor] = {}


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, dim: int) -> Tensor:
        probabilities = torch.softmax(x, dim)
        ctx.saved, ctx.dim = _first.setdefault((x.shape, x.dtype, dim), probabilities), dim
        return probabilities.clone()

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        p = ctx.saved
        return p * (grad - (grad * p).sum(ctx.dim, keepdim=True)), None


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    """Return the softmax of logits along dim."""
    return _Softmax.apply(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
