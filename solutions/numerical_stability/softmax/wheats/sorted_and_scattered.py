"""Sorts each row, adds up the exponentials from the smallest, and scatters the shares back."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    ordered, order = torch.sort(x, dim=dim, descending=True)  # nan counts as the largest
    e = torch.exp(ordered - ordered.narrow(dim, 0, 1))
    total = e.flip(dim).cumsum(dim).narrow(dim, x.shape[dim] - 1, 1)  # small ones first
    return torch.zeros_like(x).scatter(dim, order, e / total)
