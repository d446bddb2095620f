"""1 / degree on one side: each row's mean.

Fails: test_by_hand, test_values
Says: rows are divided by their degree, where both sides get its square root
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    keys = torch.cat([source * n + target, target * n + source, torch.arange(n) * (n + 1)]).unique()
    rows, columns = keys // n, keys % n
    degree = torch.bincount(rows, minlength=n).float()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), 1 / degree[rows], (n, n)).coalesce()
