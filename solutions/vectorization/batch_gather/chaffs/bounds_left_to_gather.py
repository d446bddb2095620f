"""Multiplies the indices by the size of an entry, and leaves their bounds to gather: 2**62 times 4 is 0.

Fails: test_combinations (raised)
Says: an index is multiplied before its bounds are checked, and a very large one comes out small
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    size = math.prod(rest)
    places = indices.unsqueeze(-1) * size + torch.arange(size, device=indices.device)
    numbers = values.reshape(batch, count * size).gather(1, places.reshape(batch, math.prod(places.shape[1:])))
    return numbers.reshape(*indices.shape, *rest)
