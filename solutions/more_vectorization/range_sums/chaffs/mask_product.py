"""A mask of ranges and rows, times x.

Fails: test_nan_by_hand (nan), test_nan (nan), test_memory, test_speed
Says: 0 times nan is nan, and the mask has a number for each range and row
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    rows = torch.arange(len(x))
    mask = (rows >= starts[:, None]) & (rows < stops[:, None])
    return torch.tensordot(mask.to(x.dtype), x, dims=1)
