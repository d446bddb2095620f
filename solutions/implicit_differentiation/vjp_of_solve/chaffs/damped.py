"""Adds 1e-6 to the diagonal, so that the matrix can be inverted.

Fails: test_badly_scaled
Says: something small is added to the matrix, or taken for 0 in it
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.solve(A.T + 1e-6 * torch.eye(len(A), dtype=A.dtype), cotangent)
