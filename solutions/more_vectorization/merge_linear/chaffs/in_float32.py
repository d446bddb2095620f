"""Computes in float32, whatever comes.

Fails: test_values
Says: everything is computed in float32, whatever the inputs are
"""

from torch import Tensor


def merge_linear(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    n = a.shape[-1]
    weight = weight.float()
    result = a.float() @ weight[:, :n].T + b.float() @ weight[:, n:].T
    return result if bias is None else result + bias.float()
