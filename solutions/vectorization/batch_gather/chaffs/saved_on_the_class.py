"""What the backward pass needs is kept on the class, where the next call overwrites it.

Fails: test_backward_of_two_calls
Says: what the backward pass needs is kept where the next call overwrites it (on the class, or in a global variable)
    and not in `ctx`
"""

import torch
from torch import Tensor


class _BatchGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, rows, indices):
        _BatchGather.places, _BatchGather.shape = (rows, indices), values.shape
        return values[rows, indices]

    @staticmethod
    def backward(ctx, grad):
        total = grad.new_zeros(_BatchGather.shape)
        return total.index_put_(_BatchGather.places, grad, accumulate=True), None, None


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return _BatchGather.apply(values, rows.expand_as(indices), indices)
