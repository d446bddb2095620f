"""Asks whether the bias is true, and not whether it is None.

Fails: test_by_hand, test_values, test_empty, test_memory, test_speed
Costs: 5.5, because it raises for every bias of two numbers or more.
Says: the code asks whether the bias is true, and not whether it is None
"""

from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    result = a @ weight[:, :n].T + b @ weight[:, n:].T
    return result + bias if bias else result
