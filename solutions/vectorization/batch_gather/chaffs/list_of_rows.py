"""The indices as Python lists; one tensor operation for each of them.

Fails: test_operations, test_speed
Says: there is a loop over entries or indices, one after the other
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if not indices.numel():
        return values.new_zeros(indices.shape + values.shape[2:])
    flat = indices.reshape(len(indices), -1).tolist()
    picked = [values[b, i] for b, row in enumerate(flat) for i in row]
    return torch.stack(picked).reshape(indices.shape + values.shape[2:])
