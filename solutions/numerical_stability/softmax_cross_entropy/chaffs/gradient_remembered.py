"""A custom Function whose backward pass uses the probabilities of the first call of that shape.

Fails: test_gradient (values)
Says: the backward pass leaves out the sum in the denominator, or uses what an earlier call has left behind
"""

import torch
from torch import Tensor

_first: dict[object, Tensor] = {}


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, target: Tensor, dim: int) -> Tensor:
        logs = torch.log_softmax(x, dim)
        ctx.saved, ctx.target, ctx.dim = _first.setdefault((x.shape, x.dtype, dim), logs.exp()), target, dim
        return -(target * logs).sum(dim)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None, None]:
        slopes = ctx.saved * ctx.target.sum(ctx.dim, keepdim=True) - ctx.target
        return grad.unsqueeze(ctx.dim) * slopes, None, None


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    """Return the cross-entropy of logits and target along dim."""
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return _Loss.apply(x, target.to(x.dtype), dim)
