"""A backward pass by hand, with one product more, and what is not needed is overwritten."""

import math

import torch
from torch import Tensor


class _Uniformity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, t):
        n = len(x)
        x = x - x.mean(0)
        lengths = x.square().sum(1)
        exponents = torch.addmm(lengths[:, None] + lengths, x, x.T, alpha=-2).mul_(-t).fill_diagonal_(-torch.inf)
        total = exponents.flatten().logsumexp(0)
        ctx.save_for_backward(x, exponents.sub_(total).exp_())
        ctx.t = t
        return total - math.log(n * (n - 1))

    @staticmethod
    def backward(ctx, g):
        x, weights = ctx.saved_tensors
        return -4 * ctx.t * g * (weights.sum(1, keepdim=True) * x - weights @ x), None


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    return _Uniformity.apply(x, t)
