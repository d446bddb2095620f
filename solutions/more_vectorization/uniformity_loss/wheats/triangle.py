"""The diagonal of the products gives the lengths; the pairs are picked by their indices."""

import math

import torch
from torch import Tensor


def uniformity_loss(x: Tensor, t: float = 2.0) -> Tensor:
    n = x.size(0)
    y = x - x.mean(0)
    gram = torch.einsum("id,jd->ij", y, y)
    lengths = gram.diagonal()
    i, j = torch.triu_indices(n, n, offset=1)
    squared = lengths[i] + lengths[j] - 2 * gram[i, j]
    return torch.logsumexp(-t * squared, dim=0) - math.log(i.numel())
