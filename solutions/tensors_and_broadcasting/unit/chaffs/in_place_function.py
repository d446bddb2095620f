"""An autograd Function that scales x in place, which autograd does not notice.

Fails: test_inputs_untouched
Says: x is overwritten in the forward pass
"""

import torch
from torch import Tensor


class _Unit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        largest = x.abs().amax(dim, keepdim=True)
        largest = torch.where(largest == 0, 1.0, largest)
        x /= largest
        norm = x.norm(dim=dim, keepdim=True)
        norm = torch.where(norm == 0, 1.0, norm)
        result = x / norm
        ctx.save_for_backward(result, largest, norm)
        ctx.dim = dim
        return result

    @staticmethod
    def backward(ctx, g):
        u, largest, norm = ctx.saved_tensors
        return (g - (g * u).sum(ctx.dim, keepdim=True) * u) / norm / largest, None


def unit(x: Tensor, dim: int = -1) -> Tensor:
    return _Unit.apply(x, dim)
