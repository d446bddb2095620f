"""Asks each row for its range: it has one, if ranges do not overlap.

Fails: test_by_hand, test_values, test_gradients_by_hand, test_gradients, test_speed
Costs: 5, because the gradient of a row is about its ranges, and there is no race of ranges apart from each other.
Says: each row is given to one range, and it may be in several
"""

import torch
from torch import Tensor


def range_sums(x: Tensor, starts: Tensor, stops: Tensor) -> Tensor:
    result = x.new_zeros(len(starts), *x.shape[1:])
    order = starts.argsort()
    rows = torch.arange(len(x))
    found = torch.searchsorted(starts[order], rows, right=True) - 1
    owners = order[found.clamp(min=0)] if len(order) else found
    (inside,) = torch.where((found >= 0) & (rows < stops[owners])) if len(order) else (rows[:0],)
    return result.index_add(0, owners[inside], x[inside])
