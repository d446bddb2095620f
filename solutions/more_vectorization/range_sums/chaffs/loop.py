"""One slice after the other.

Fails: test_operations, test_speed
Says: there is one slice and one sum for each range
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    result = x.new_zeros(len(starts), *x.shape[1:])
    rows = [x[start:stop].sum(0) for start, stop in zip(starts.tolist(), stops.tolist())]
    return torch.stack(rows) if rows else result
