"""A set of pairs."""

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    pairs = {(i, i) for i in range(n)}
    for s, t in edges.T.tolist():
        pairs.add((s, t))
        pairs.add((t, s))
    degree = [0] * n
    for s, _ in pairs:
        degree[s] += 1
    ordered = sorted(pairs)
    values = [(degree[s] * degree[t]) ** -0.5 for s, t in ordered]
    return torch.sparse_coo_tensor(torch.tensor(ordered).T, torch.tensor(values), (n, n)).coalesce()
