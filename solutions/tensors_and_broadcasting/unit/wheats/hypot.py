"""Takes the norm by hypot, entry after entry, of entries that were scaled."""

from functools import reduce

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = torch.linalg.vector_norm(x, float("inf"), dim=dim, keepdim=True)
    empty = largest == 0
    y = x / torch.where(empty, 1.0, largest)
    safe = torch.where(empty, 1.0, y)
    norm = reduce(torch.hypot, safe.unbind(dim)).abs().unsqueeze(dim)
    return y / norm
