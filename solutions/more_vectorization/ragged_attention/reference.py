"""One rectangle for all: padding becomes 0 in keys and values, its scores become the lowest number, its weights 0.

Why: a nan that takes part in a product comes out as nan, whatever it is multiplied by, and so does its gradient. masked_fill replaces it
    before the first product, so nothing of it goes forward or backward. With the lowest number in place of -inf, a row without keys
    has equal weights and no 0 / 0, and these meet values of 0.
"""

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
