"""Flattens with -1, which has no answer for vectors of no numbers.

Fails: test_empty
Says: reshape has to work out a -1 where another size is 0
"""

from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n, m = a.shape[-1], b.shape[-1]
    left = (a.reshape(-1, n) @ weight[:, :n].T).reshape(*a.shape[:-1], -1)
    right = (b.reshape(-1, m) @ weight[:, n:].T).reshape(*b.shape[:-1], -1)
    return left + right if bias is None else left + right + bias
