"""Self-loops for those nodes only that occur among the edges.

Fails: test_lone_nodes, test_no_edges
Says: a node without edges does not become its own neighbour
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    nodes = edges.unique()
    rows, columns = torch.unique(torch.cat([edges, edges.flip(0), torch.stack([nodes, nodes])], dim=1), dim=1)
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
