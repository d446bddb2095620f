"""A buffer filled example by example.

Fails: test_operations, test_speed
Says: there is a loop over the examples
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    result = torch.empty(*indices.shape, *values.shape[2:], dtype=values.dtype, device=values.device)
    for b in range(values.shape[0]):
        result[b] = values[b][indices[b]]
    return result
