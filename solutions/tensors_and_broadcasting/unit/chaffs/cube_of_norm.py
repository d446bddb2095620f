"""A backward pass by the textbook's formula, with the norm to the third.

Fails: test_gradient_sizes
Says: the backward pass has a power of the norm in it, which is infinite or 0
"""

import torch
from torch import Tensor


class _Unit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        largest = x.abs().amax(dim, keepdim=True)
        largest = torch.where(largest == 0, 1.0, largest)
        norm = (x / largest).norm(dim=dim, keepdim=True)
        norm = torch.where(norm == 0, 1.0, norm)
        ctx.save_for_backward(x, largest * norm)
        ctx.dim = dim
        return x / largest / norm

    @staticmethod
    def backward(ctx, g):
        x, norm = ctx.saved_tensors
        return g / norm - x * (x * g).sum(ctx.dim, keepdim=True) / norm**3, None


def unit(x: Tensor, dim: int = -1) -> Tensor:
    return _Unit.apply(x, dim)
