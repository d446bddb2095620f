"""coalesce may add as it likes: afterwards each value is 1 again."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    diagonal = torch.arange(n).expand(2, n)
    indices = torch.cat([edges, edges.flip(0), diagonal], dim=1)
    counted = torch.sparse_coo_tensor(indices, torch.ones(indices.shape[1]), (n, n)).coalesce()
    row, col = counted.indices()
    degree = torch.bincount(row, minlength=n).to(torch.float32)
    values = 1 / torch.sqrt(degree[row] * degree[col])
    return torch.sparse_coo_tensor(counted.indices(), values, (n, n)).coalesce()
