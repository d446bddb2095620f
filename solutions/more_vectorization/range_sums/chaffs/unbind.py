"""unbind once, and Python's sum for each range: a loop all the same.

Fails: test_operations, test_speed
Says: unbind makes the slices cheaper, and there is still one sum for each range
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    rows = x.unbind()
    zero = torch.zeros_like(rows[0])
    result = [sum(rows[start:stop], zero) for start, stop in zip(starts.tolist(), stops.tolist())]
    return torch.stack(result) if result else x[:0]
