"""Index tensors for rows and columns: whatever they choose is copied.

Fails: test_view, test_view_of_any_layout
Says: each patch is copied, and a view was asked for
"""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    reach = (size - 1) * dilation + 1
    height, width = x.shape[-2:]
    if height < reach or width < reach:
        raise ValueError("image too small")
    rows = [[i + p * dilation for p in range(size)] for i in range(0, height - reach + 1, stride)]
    columns = [[j + q * dilation for q in range(size)] for j in range(0, width - reach + 1, stride)]
    return x[..., torch.tensor(rows)[:, None, :, None], torch.tensor(columns)[None, :, None, :]]
