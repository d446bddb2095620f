"""Computes in float64 and forgets to cast back.

Fails: test_dtypes
Says: the result is float64, whatever the matrix is
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.solve(A.T.double(), cotangent.double())
