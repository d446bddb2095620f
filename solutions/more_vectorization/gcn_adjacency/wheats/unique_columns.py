"""unique over columns of the indices, and the promise that they are in order."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    loops = torch.arange(n).repeat(2, 1)
    indices = torch.unique(torch.cat([edges, edges.flip(0), loops], dim=1), dim=1)
    degrees = torch.zeros(n).index_add(0, indices[0], torch.ones(indices.shape[1]))
    weights = degrees.pow(-0.5)
    values = weights[indices[0]] * weights[indices[1]]
    return torch.sparse_coo_tensor(indices, values, (n, n), is_coalesced=True)
