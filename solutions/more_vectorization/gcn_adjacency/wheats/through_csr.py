"""Degrees are the differences of crow_indices."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    rows = torch.cat([edges[0], edges[1], torch.arange(n)])
    cols = torch.cat([edges[1], edges[0], torch.arange(n)])
    csr = torch.sparse_coo_tensor(torch.stack([rows, cols]), torch.ones(len(rows)), (n, n)).coalesce().to_sparse_csr()
    degree = csr.crow_indices().diff().float()
    r = torch.repeat_interleave(torch.arange(n), csr.crow_indices().diff())
    c = csr.col_indices()
    values = (degree[r] * degree[c]).rsqrt()
    return torch.sparse_csr_tensor(csr.crow_indices(), c, values, (n, n)).to_sparse_coo().coalesce()
