"""Repeats the smaller inputs with repeat, in place of expand.

Fails: test_memory, test_speed
Says: the inputs are copied with repeat before they are multiplied
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    shape = torch.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    pairs = []
    for x in (a, b):
        x = x.reshape((1,) * (len(shape) + 1 - x.dim()) + x.shape)
        times = [1 if have == want else want for have, want in zip(x.shape, shape)]
        pairs.append(x.repeat(*times, 1))
    return F.linear(torch.cat(pairs, -1), weight, bias)
