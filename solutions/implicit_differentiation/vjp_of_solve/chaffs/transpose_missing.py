"""Solves with A instead of its transpose.

Fails: test_by_hand, test_any_size
Costs: 0.5, because every gradient of a matrix that is not symmetric is wrong.
Says: the system is solved with A itself, where its transpose belongs
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.solve(A, cotangent)
