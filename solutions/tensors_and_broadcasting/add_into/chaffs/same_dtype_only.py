"""Refuses every dtype but that of the sum.

Fails: test_rounded_once (raised)
Says: out must have just the dtype of the sum, although torch.can_cast allows more
"""

from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    total = a + b
    if total.dtype != out.dtype:
        raise TypeError("out has another dtype")
    return out.copy_(total)
