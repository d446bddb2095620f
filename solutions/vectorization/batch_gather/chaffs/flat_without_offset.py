"""A flat index without the row's offset: everything comes from the first example.

Fails: test_by_hand (values), test_vectors (values), test_values (values)
Costs: all, because it does not tell the examples apart, which is what the exercise asks for.
Says: the offset of each example in the flat list is missing, so everything comes from the first example
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    if (indices >= values.shape[1]).any():
        raise IndexError("index out of range")
    return values.flatten(0, 1)[indices]
