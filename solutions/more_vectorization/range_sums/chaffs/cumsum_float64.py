"""The same in float64.

Fails: test_float64, test_nan_by_hand (nan), test_nan (nan)
Says: running sums in float64 have more digits, and 1e17 and nan reach later ranges all the same
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    running = torch.cat([torch.zeros_like(x[:1]), x]).cumsum(0, dtype=torch.float64)
    return (running[stops] - running[starts]).to(x.dtype)
