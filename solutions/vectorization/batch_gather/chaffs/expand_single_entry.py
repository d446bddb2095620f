"""No copy where each example has one entry only: the result is a view of it.

Fails: test_inputs_untouched
Says: the result is a view of `values`, or `values` itself, where a copy was asked for
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if values.shape[1] == 1 and indices.dim() == 2:
        if (indices > 0).any():
            raise IndexError("index out of range")
        return values.expand(-1, indices.shape[1], *values.shape[2:])
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
