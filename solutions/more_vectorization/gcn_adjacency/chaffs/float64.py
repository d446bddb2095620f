"""Values in float64.

Fails: test_form (dtype), test_layout (dtype)
Says: the values are float64
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    keys = torch.cat([source * n + target, target * n + source, torch.arange(n) * (n + 1)]).unique()
    rows, columns = keys // n, keys % n
    scale = torch.bincount(rows, minlength=n).double().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
