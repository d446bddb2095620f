"""One rectangle for all: padding becomes 0 in keys and values, its scores become the lowest number, its weights 0."""

import math

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    counts = torch.arange(keys.shape[1], device=keys.device) < lengths[:, None]
    keys = keys.masked_fill(~counts[:, :, None], 0.0)
    values = values.masked_fill(~counts[:, :, None], 0.0)
    scores = queries @ keys.mT / math.sqrt(queries.shape[2])
    scores = scores.masked_fill(~counts[:, None], torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) @ values
