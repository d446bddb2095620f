"""Each edge as it was given, without its mirror image.

Fails: test_by_hand, test_values
Says: edges go one way only
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    rows, columns = torch.unique(torch.cat([edges, torch.arange(n).repeat(2, 1)], dim=1), dim=1)
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
