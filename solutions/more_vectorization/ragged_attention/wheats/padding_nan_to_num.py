"""nan_to_num on keys and values, after which every weight of 0 does its work, also beside the largest number."""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1]) < lengths[:, None]
    keys, values = keys.nan_to_num(0.0), values.nan_to_num(0.0)
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask[:, None], torch.finfo(scores.dtype).min).softmax(-1)
    return weights.masked_fill(~mask[:, None], 0.0) @ values
