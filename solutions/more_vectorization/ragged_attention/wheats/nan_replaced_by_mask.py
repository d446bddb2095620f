"""Softmax with -inf, and then a 0 wherever the mask says so: the nan of an example without keys goes, a query's stays."""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    inside = torch.arange(keys.shape[1]) < lengths.reshape(-1, 1)
    outside = ~inside
    clean_keys, clean_values = keys.clone(), values.clone()
    clean_keys[outside] = 0
    clean_values[outside] = 0
    scores = torch.matmul(queries, clean_keys.permute(0, 2, 1)) / keys.shape[2] ** 0.5
    weights = scores.masked_fill(outside[:, None, :], -torch.inf).softmax(dim=-1)
    weights = weights.masked_fill(outside[:, None, :], 0.0)
    return torch.matmul(weights, clean_values)
