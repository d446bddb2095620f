"""Takes the larger size of each dimension.

Fails: test_empty_and_single
Says: the larger of two sizes is taken, although 0 against 1 gives 0
"""

import torch
from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    rank = max(a.dim(), b.dim())
    first, second = (1,) * (rank - a.dim()) + a.shape, (1,) * (rank - b.dim()) + b.shape
    shape = [max(m, n) for m, n in zip(first, second)]
    if not torch.can_cast(torch.result_type(a, b), out.dtype):
        raise TypeError("out cannot hold the sum")
    total = a.expand(shape) + b.expand(shape)
    return out.copy_(total)
