"""One solve with the transposed matrix.

Why: the cotangent c turns y = A^-1 b into the number c . y = c . (A^-1 b) = (A^-T c) . b, whose gradient with respect to b is
    A^-T c. That is the solution of A^T z = c: one system with one right-hand side. No inverse is formed, which would cost m
    solves and some digits.
"""

import torch
from torch import Tensor


def vjp_of_solve(A: Tensor, cotangent: Tensor) -> Tensor:
    return torch.linalg.solve(A.T, cotangent)
