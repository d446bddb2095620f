"""Entries are unique, and degrees are counted before that.

Fails: test_again, test_repeats, test_self_loops
Says: degrees are counted before the copies of an edge are taken out
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    indices = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], dim=1)
    scale = torch.bincount(indices[0], minlength=n).float().rsqrt()
    rows, columns = torch.unique(indices, dim=1)
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
