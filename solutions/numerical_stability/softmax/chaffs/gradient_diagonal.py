"""A custom Function whose backward pass is p * (1 - p), the diagonal of the Jacobian alone.

Fails: test_gradient (values), test_minus_infinity (values)
Says: the gradient leaves out what goes through the sum in the denominator
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
        return grad * p * (1 - p), None


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return _Softmax.apply(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
