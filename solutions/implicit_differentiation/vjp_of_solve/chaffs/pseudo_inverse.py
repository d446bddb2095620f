"""The pseudo-inverse, which takes small numbers for 0.

Fails: test_badly_scaled
Says: the pseudo-inverse is used, which takes small singular values for 0
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.pinv(A).T @ cotangent
