"""Adds a bias of None.

Fails: test_without_bias
Says: a bias of None is added
"""

from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    return a @ weight[:, :n].T + b @ weight[:, n:].T + bias
