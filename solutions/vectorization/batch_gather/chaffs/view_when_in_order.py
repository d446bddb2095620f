"""No copy where all entries are wanted in their old order: the result is the input.

Fails: test_inputs_untouched
Says: the result is a view of `values`, or `values` itself, where a copy was asked for
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    every = torch.arange(values.shape[1], device=values.device)
    if indices.dim() == 2 and torch.equal(indices, every.expand(len(values), -1)):
        return values
    rows = torch.arange(len(values), device=values.device)
    return values[rows.reshape(-1, *[1] * (indices.dim() - 1)), indices]
