"""Leaves the bias out.

Fails: test_by_hand, test_values
Says: the bias is not used
"""

from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    return a @ weight[:, :n].T + b @ weight[:, n:].T
