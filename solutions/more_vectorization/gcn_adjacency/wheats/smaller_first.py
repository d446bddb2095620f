"""Each edge from its smaller node to its larger one, once; then mirrored, and a diagonal beside."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    low, high = edges.min(dim=0).values, edges.max(dim=0).values
    keep = low < high
    keys = torch.unique(low[keep] * n + high[keep])
    low, high = torch.div(keys, n, rounding_mode="floor"), keys.remainder(n)
    degree = 1 + torch.bincount(low, minlength=n) + torch.bincount(high, minlength=n)
    off = (degree[low] * degree[high]).float().sqrt().reciprocal()
    i = torch.arange(n)
    rows, cols = torch.cat([low, high, i]), torch.cat([high, low, i])
    return torch.sparse_coo_tensor(torch.stack([rows, cols]), torch.cat([off, off, 1 / degree.float()]), (n, n)).coalesce()
