"""Scales by the largest entry, and leaves the rest to normalize.

Why: normalize is right for entries of ordinary size: its eps of 1e-12 is far below a norm of 1, and its gradient at 0 is finite.
    So one division before it is all that it needs.
"""

import torch
from torch import Tensor
from torch.nn import functional as F


def unit(x: Tensor, dim: int = -1) -> Tensor:
    largest = x.detach().abs().amax(dim=dim, keepdim=True)
    return F.normalize(x / largest.masked_fill(largest == 0, 1.0), dim=dim)
