"""Example after example.

Fails: test_operations, test_speed
Says: there is a loop over the examples, and each of them costs its own calls
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    rows = []
    for q, k, v, n in zip(queries, keys, values, lengths.tolist()):
        weights = (q @ k[:n].T / q.shape[-1] ** 0.5).softmax(dim=-1)
        rows.append(weights @ v[:n])
    return torch.stack(rows)
