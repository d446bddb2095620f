"""As many nodes as the largest index says.

Fails: test_lone_nodes (shape), test_no_edges (raised)
Says: n is not used, and nodes without edges at the end are missing
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    n = int(edges.max()) + 1
    source, target = edges
    keys = torch.cat([source * n + target, target * n + source, torch.arange(n) * (n + 1)]).unique()
    rows, columns = keys // n, keys % n
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
