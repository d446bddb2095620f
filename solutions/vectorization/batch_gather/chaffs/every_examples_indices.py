"""values[:, indices]: every example is given the indices of all.

Fails: test_by_hand, test_vectors, test_values
Costs: all, because the result has B times too many entries, and is of another shape
Says: `values[:, indices]` gives every example the indices of all examples
"""

from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return values[:, indices]
