"""The functions whose names begin with logical_."""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    wraps = torch.gt(start, stop)
    after, before = torch.ge(t, start), torch.lt(t, stop)
    both = torch.logical_and(after, before)
    either = torch.logical_and(wraps, torch.logical_or(after, before))
    inside = torch.logical_or(both, either)
    if closed is None:
        return inside
    return torch.logical_and(inside, torch.logical_not(closed))
