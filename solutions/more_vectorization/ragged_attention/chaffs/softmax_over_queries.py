"""Softmax along the dimension of the queries.

Fails: test_by_hand, test_beyond, test_values
Says: the softmax is over the queries, not over the keys
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1]) < lengths[:, None]
    keys = keys.masked_fill(~mask[..., None], 0.0)
    values = values.masked_fill(~mask[..., None], 0.0)
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask[:, None], torch.finfo(scores.dtype).min)
    return scores.softmax(1) @ values
