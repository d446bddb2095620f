"""Each place of the matrix is one number, row * n + column: unique leaves each once, and in order."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    nodes = torch.arange(n, device=edges.device)
    places = torch.cat([source * n + target, target * n + source, nodes * n + nodes]).unique()
    rows, columns = places // n, places % n
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
