"""Each place of the matrix is one number, row * n + column: unique leaves each once, and in order.

Why: coalesce adds the values of equal places, so copies have to go before there are values. As single numbers, places can be sorted and
    compared quickly, and their order is the one that a coalesced tensor has. The diagonal is among them, so the rows of all places
    together hold each node as often as its degree says, and no degree is 0.
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    source, target = edges
    nodes = torch.arange(n, device=edges.device)
    places = torch.cat([source * n + target, target * n + source, nodes * n + nodes]).unique()
    rows, columns = places // n, places % n
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), scale[rows] * scale[columns], (n, n)).coalesce()
