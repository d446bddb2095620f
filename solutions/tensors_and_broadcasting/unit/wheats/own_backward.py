"""An autograd Function: the gradient is projected, then divided by the two factors of the norm, one after the other."""

import torch
from torch import Tensor


class _Unit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, dim: int) -> Tensor:
        largest = x.abs().amax(dim, keepdim=True)
        largest = torch.where(largest == 0, 1.0, largest)
        norm = torch.linalg.vector_norm(x / largest, dim=dim, keepdim=True)
        norm = torch.where(norm == 0, 1.0, norm)
        result = x / largest / norm
        ctx.save_for_backward(result, largest, norm)
        ctx.dim = dim
        return result

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None]:
        result, largest, norm = ctx.saved_tensors
        along = (gradient * result).sum(ctx.dim, keepdim=True)
        return (gradient - along * result) / norm / largest, None


def unit(x: Tensor, dim: int = -1) -> Tensor:
    return _Unit.apply(x, dim)
