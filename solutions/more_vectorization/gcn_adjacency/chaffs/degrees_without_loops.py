"""Degrees are those of the edges, and the diagonal is added after that.

Fails: test_by_hand, test_values
Says: degrees are taken before each node becomes its own neighbour
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    keys = torch.cat([source * n + target, target * n + source]).unique()
    scale = torch.bincount(keys // n, minlength=n).float().pow(-0.5)
    keys = torch.cat([keys, torch.arange(n) * (n + 1)]).unique()
    rows, columns = keys // n, keys % n
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
