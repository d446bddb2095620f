"""Leaves repeats to coalesce, which adds them.

Fails: test_again, test_repeats, test_self_loops
Says: coalesce adds the copies of an edge, so it counts twice
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    indices = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], dim=1)
    A = torch.sparse_coo_tensor(indices, torch.ones(indices.shape[1]), (n, n)).coalesce()
    rows, columns = A.indices()
    scale = torch.sparse.sum(A, dim=1).to_dense() ** -0.5
    return torch.sparse_coo_tensor(A.indices(), scale[rows] * A.values() * scale[columns], (n, n)).coalesce()
