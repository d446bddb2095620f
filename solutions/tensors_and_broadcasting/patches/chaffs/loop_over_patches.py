"""Cuts one patch after the other and stacks them.

Fails: test_view, test_view_of_any_layout, test_operations
Says: patches are cut one by one and stacked, which copies them
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    reach = (size - 1) * dilation + 1
    height, width = x.shape[-2:]
    if height < reach or width < reach:
        raise ValueError("image too small")
    rows = []
    for i in range(0, height - reach + 1, stride):
        row = []
        for j in range(0, width - reach + 1, stride):
            row.append(x[..., i : i + reach : dilation, j : j + reach : dilation])
        rows.append(torch.stack(row, dim=-3))
    return torch.stack(rows, dim=-4)
