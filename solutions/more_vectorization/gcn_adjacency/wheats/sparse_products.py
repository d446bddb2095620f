"""Three sparse matrices, multiplied as in the formula."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    i = torch.stack([torch.arange(n), torch.arange(n)])
    both = torch.cat([edges, edges.flip(0), i], dim=1)
    A = torch.sparse_coo_tensor(both, torch.ones(both.shape[1]), (n, n)).coalesce()
    A = torch.sparse_coo_tensor(A.indices(), torch.ones_like(A.values()), (n, n))
    degree = torch.sparse.sum(A, dim=1).to_dense()
    D = torch.sparse_coo_tensor(i, degree**-0.5, (n, n))
    return torch.sparse.mm(torch.sparse.mm(D, A), D).coalesce()
