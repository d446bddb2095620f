"""is_coalesced=True, with indices in whatever order they came.

Fails: test_layout
Says: the tensor is told that it is coalesced, and its indices are not in order
"""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    pairs = {(i, i): None for i in range(n)}
    for s, t in edges.T.tolist():
        pairs[s, t] = pairs[t, s] = None
    rows, columns = torch.tensor(list(pairs)).T
    scale = torch.bincount(rows, minlength=n).float().rsqrt()
    values = scale[rows] * scale[columns]
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), values, (n, n), is_coalesced=True)
