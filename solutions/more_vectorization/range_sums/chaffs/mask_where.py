"""A mask of ranges and rows, and where.

Fails: test_memory, test_speed
Says: each row is written down for each range
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    rows = torch.arange(len(x))
    mask = (rows >= starts[:, None]) & (rows < stops[:, None])
    return torch.where(mask.view(*mask.shape, *[1] * (x.dim() - 1)), x, 0.0).sum(1)
