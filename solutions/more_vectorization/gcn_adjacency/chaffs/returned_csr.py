"""Compressed rows.

Fails: test_form, test_layout
Says: the result is sparse in another layout, CSR
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    keys = torch.cat([source * n + target, target * n + source, torch.arange(n) * (n + 1)]).unique()
    rows, columns = keys // n, keys % n
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).to_sparse_csr()
