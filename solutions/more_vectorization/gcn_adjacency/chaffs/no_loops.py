"""No diagonal.

Fails: test_by_hand, test_values
Says: no node is its own neighbour
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    keys = torch.cat([source * n + target, target * n + source]).unique()
    rows, columns = keys // n, keys % n
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
