"""A custom Function whose backward pass puts the cotangent back at the last dimension.

Fails: test_gradient_along_dim (raised)
Says: the backward pass works along the last dimension, whatever dim is
"""

import torch
from torch import Tensor


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, t, dim):
        log_p = torch.log_softmax(x, dim)
        ctx.save_for_backward(log_p, t)
        return -(t * log_p).sum(dim)

    @staticmethod
    def backward(ctx, grad):
        log_p, t = ctx.saved_tensors
        return grad.unsqueeze(-1) * (log_p.exp() - t), None, None


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return _CrossEntropy.apply(x, target.to(x.dtype), dim)
