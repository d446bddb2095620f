"""The loop over examples.

Fails: test_empty, test_operations, test_speed
Says: there is a loop over the examples
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return torch.stack([entries[index] for entries, index in zip(values, indices)])
