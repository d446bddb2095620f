"""values[:, indices]: every example is given the indices of all.

Fails: test_by_hand (shape), test_vectors (shape), test_values (shape)
Costs: all, because no result has the right shape.
Says: `values[:, indices]` gives every example the indices of all examples
"""

from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return values[:, indices]
