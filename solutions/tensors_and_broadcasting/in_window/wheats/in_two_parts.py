"""A window that wraps is two windows: from start onwards, and up to stop. A helper makes both kinds."""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    wraps = start > stop
    inside = _from(t, start) & _until(t, stop) & ~wraps
    inside |= _from(t, start) & wraps
    inside |= _until(t, stop) & wraps
    if closed is not None:
        inside, closed = torch.broadcast_tensors(inside, closed)
        inside = inside.masked_fill(closed != 0, False)
    return inside


def _from(t: Tensor, start: Tensor) -> Tensor:
    return t.ge(start)


def _until(t: Tensor, stop: Tensor) -> Tensor:
    return t.lt(stop)
