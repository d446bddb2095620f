"""Two comparisons, and for each element the choice between "both" and "one of them".

Why: & and | answer element by element. The question is put as start > stop, which is False for nan, so such a window asks for
    both comparisons, and one of them is False. closed == 0 is right for any dtype, where ~ would flip the bits of a uint8.
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = t >= start, t < stop
    inside = torch.where(start > stop, after | before, after & before)
    return inside if closed is None else inside & (closed == 0)
