"""torch.gather, with the indices expanded over what stands behind them.

Why: torch.gather picks single numbers, and its index has as many dimensions as its input. So the indices are laid out
    as one list for each example, and are expanded over the numbers of an entry; expanding copies nothing. At the end
    the result gets the indices' own dimensions back. No row numbers are needed, since gather stays within each row,
    and checks the bounds there. Its size is asked of math.prod and not of reshape's -1, which has no answer for an
    empty tensor.
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    flat = indices.reshape(len(indices), math.prod(indices.shape[1:]), *[1] * len(rest))
    picked = torch.gather(values, 1, flat.expand(-1, -1, *rest))
    return picked.reshape(*indices.shape, *rest)
