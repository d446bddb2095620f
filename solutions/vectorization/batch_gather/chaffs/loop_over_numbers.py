"""gather for each number of the entries, one after the other.

Fails: test_combinations
Says: there is a loop over the numbers of an entry
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    flat = indices.reshape(batch, math.prod(indices.shape[1:]))
    columns = values.reshape(batch, count, math.prod(rest)).unbind(2)
    return torch.stack([column.gather(1, flat) for column in columns], dim=2).reshape(*indices.shape, *rest)
