"""The cotangent as a row, and the solve from the right.

Why: the same from the other side. z^T A = c^T is a system with the unknown on the left, which solve takes with left=False, so no
    transpose is written, and it is there all the same.
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.solve(A, cotangent[None, :], left=False)[0]
