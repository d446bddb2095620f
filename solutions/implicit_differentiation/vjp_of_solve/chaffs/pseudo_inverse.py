"""The pseudo-inverse, which takes small numbers for 0.

Fails: test_badly_scaled
Says: something small is added to the matrix, or taken for 0 in it
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.pinv(A).T @ cotangent
