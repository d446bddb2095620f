"""Of three statements two must be true: after the start, before the stop, the window wraps.

Why: a window that wraps needs one of the two comparisons, and any other needs both. Counting the wrap as a vote makes it two of
    three in each case, so there is no choice to be made.
"""

import torch
from torch import Tensor


def in_window(t: Tensor, start: Tensor, stop: Tensor, closed: Tensor | None = None) -> Tensor:
    votes = (t >= start).int() + (t < stop).int() + (start > stop).int()
    inside = votes >= 2
    if closed is not None:
        inside = inside & ~closed.bool()
    return inside
