"""bool as numbers: a product where both must hold, a maximum where one suffices, and back to bool."""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    after, before = (t >= start).to(torch.uint8), (t < stop).to(torch.uint8)
    wraps = (start > stop).to(torch.uint8)
    inside = wraps * torch.maximum(after, before) + (1 - wraps) * (after * before)
    if closed is not None:
        inside = inside * (closed == 0)
    return inside.bool()
