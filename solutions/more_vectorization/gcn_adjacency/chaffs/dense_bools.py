"""A dense matrix of bools, of which only nonzero is used.

Fails: test_memory
Says: a matrix of n x n bools is made on the way
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    A = torch.zeros(n, n, dtype=torch.bool)
    A[edges[0], edges[1]] = A[edges[1], edges[0]] = True
    A.fill_diagonal_(True)
    rows, columns = A.nonzero().T
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
