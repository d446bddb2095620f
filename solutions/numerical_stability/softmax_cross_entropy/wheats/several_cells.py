"""Spread over several cells: the helpers stand in cells below the solution cell."""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    dtype = torch.promote_types(logits.dtype, torch.float32)
    return expected(surprise(logits.to(dtype), dim), target.to(dtype), dim)


# %%
def surprise(x, dim):
    """-log softmax: how unlikely each class is."""
    below = x.amax(dim, keepdim=True) - x
    return below + torch.log(torch.exp(-below).sum(dim, keepdim=True))


# %%
def expected(values, weights, dim):
    return (weights * values).sum(dim)
