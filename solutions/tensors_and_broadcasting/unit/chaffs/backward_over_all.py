"""A backward pass that adds up over the whole tensor.

Fails: test_rows (values)
Says: the backward pass adds up over all rows
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
        result = x / largest / norm
        ctx.save_for_backward(result, largest, norm)
        return result

    @staticmethod
    def backward(ctx, g):
        u, largest, norm = ctx.saved_tensors
        return (g - (g * u).sum() * u) / norm / largest, None


def unit(x: Tensor, dim: int = -1) -> Tensor:
    return _Unit.apply(x, dim)
