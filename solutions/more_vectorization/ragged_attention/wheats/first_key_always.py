"""Each example has one key at least: where there is none, its key and its value are zeros, and the result is 0."""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    S, D = keys.shape[1:]
    positions = torch.arange(S).expand(len(lengths), S)
    padding = positions >= lengths.unsqueeze(1)
    keys = keys.masked_fill(padding.unsqueeze(2), 0)
    values = values.masked_fill(padding.unsqueeze(2), 0)
    scores = torch.bmm(queries, keys.transpose(1, 2)) * D**-0.5
    left_out = positions >= lengths.clamp(min=1).unsqueeze(1)
    scores = scores.masked_fill(left_out.unsqueeze(1), float("-inf"))
    return torch.bmm(torch.softmax(scores, dim=2), values)
