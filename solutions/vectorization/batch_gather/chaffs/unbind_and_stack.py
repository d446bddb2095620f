"""unbind, one index_select for each example, and stack; an empty batch is thought of.

Fails: test_operations, test_speed
Says: there is a loop over the examples
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if values.shape[0] == 0:
        return values.new_zeros(indices.shape + values.shape[2:])
    pairs = zip(values.unbind(0), indices.flatten(1).unbind(0) if indices.dim() > 1 else indices[:, None].unbind(0))
    picked = [entries.index_select(0, index) for entries, index in pairs]
    return torch.stack(picked).reshape(indices.shape + values.shape[2:])
