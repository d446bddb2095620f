"""torch.nn.functional.unfold, as forums say: it copies every patch.

Fails: test_view, test_view_of_any_layout
Says: each patch is copied, and a view was asked for
"""

import torch.nn.functional as F
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    *batch, height, width = x.shape
    columns = F.unfold(x.reshape(-1, 1, height, width), size, dilation=dilation, stride=stride)
    rows = (height - (size - 1) * dilation - 1) // stride + 1
    return columns.transpose(1, 2).reshape(*batch, rows, -1, size, size)
