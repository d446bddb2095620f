"""values[:, indices]: every example is given the indices of all.

Fails: test_by_hand (shape), test_vectors (shape), test_values (shape)
Costs: all, because it does not tell the examples apart, which is what the exercise asks for (and the notebook shows it to be
    wrong).
Says: `values[:, indices]` gives every example the indices of all examples
"""

from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    return values[:, indices]
