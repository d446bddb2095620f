"""Solves for the cotangent as a column, and returns a column.

Fails: test_by_hand (shape), test_any_size (shape)
Costs: 0.5, because the public check and the first hidden one look at each result as it is.
Says: the result is a column, where the cotangent was a vector
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.solve(A.T, cotangent[:, None])
