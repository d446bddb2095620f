"""Repeats are taken out of the edges as given from small to large; a self-loop is mirrored into a second one.

Fails: test_self_loops
Says: the mirror image of a self-loop counts as another edge
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    edges = torch.unique(edges.sort(dim=0).values, dim=1)
    indices = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], dim=1)
    A = torch.sparse_coo_tensor(indices, torch.ones(indices.shape[1]), (n, n)).coalesce()
    rows, columns = A.indices()
    scale = torch.sparse.sum(A, dim=1).to_dense().rsqrt()
    return torch.sparse_coo_tensor(A.indices(), A.values() * scale[rows] * scale[columns], (n, n)).coalesce()
