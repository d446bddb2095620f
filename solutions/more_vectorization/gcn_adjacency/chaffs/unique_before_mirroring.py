"""Takes out repeats first and adds mirror images then: an edge in both directions counts twice.

Fails: test_repeats, test_self_loops
Says: copies are taken out before the mirror images come in, which makes new copies
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    edges = torch.unique(edges, dim=1)
    indices = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], dim=1)
    A = torch.sparse_coo_tensor(indices, torch.ones(indices.shape[1]), (n, n)).coalesce()
    rows, columns = A.indices()
    scale = torch.sparse.sum(A, dim=1).to_dense().rsqrt()
    return torch.sparse_coo_tensor(A.indices(), A.values() * scale[rows] * scale[columns], (n, n)).coalesce()
