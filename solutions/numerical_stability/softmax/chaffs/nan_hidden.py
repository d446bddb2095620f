"""Replaces nan in the result by 0.

Fails: test_nan (values)
Says: nan is replaced by a number
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    p = torch.softmax(logits, dim, dtype=torch.promote_types(logits.dtype, torch.float32))
    return torch.nan_to_num(p)
