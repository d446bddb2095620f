"""Takes 1 for the only number that is true.

Fails: test_closed_numbers
Says: closed is compared with 1, and other numbers are true as well
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = t >= start, t < stop
    inside = torch.where(start > stop, after | before, after & before)
    return inside if closed is None else inside & (closed != 1)
