"""Multiplies with the transposed matrix instead of solving.

Fails: test_by_hand, test_any_size, test_badly_scaled, test_dtypes
Costs: all, because every gradient is wrong.
Says: the cotangent is multiplied with the transposed matrix, where a system with it is to be solved
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return A.T @ cotangent
