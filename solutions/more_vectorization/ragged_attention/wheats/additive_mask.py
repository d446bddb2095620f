"""A mask that is added: 0 for what counts, -1e30 for what does not. Weights of examples without keys fall on zeros."""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    pad = torch.arange(keys.shape[1]).unsqueeze(0).ge(lengths.unsqueeze(1))
    keys = keys.masked_fill(pad[..., None], 0.0)
    values = values.masked_fill(pad[..., None], 0.0)
    bias = torch.zeros(pad.shape, dtype=queries.dtype).masked_fill(pad, -1e30)
    scores = torch.baddbmm(bias.unsqueeze(1), queries, keys.mT, alpha=queries.shape[-1] ** -0.5)
    return torch.bmm(scores.softmax(-1), values)
