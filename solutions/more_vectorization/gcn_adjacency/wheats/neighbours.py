"""A set of neighbours for each node."""

import math

import torch
from torch import Tensor


def gcn_adjacency(edges: Tensor, n: int) -> Tensor:
    neighbours = [{i} for i in range(n)]
    for s, t in zip(edges[0].tolist(), edges[1].tolist()):
        neighbours[s].add(t)
        neighbours[t].add(s)
    rows, columns, values = [], [], []
    for i, near in enumerate(neighbours):
        for j in near:
            rows.append(i)
            columns.append(j)
            values.append(1 / math.sqrt(len(near) * len(neighbours[j])))
    return torch.sparse_coo_tensor([rows, columns], values, [n, n], dtype=torch.float32).coalesce()
