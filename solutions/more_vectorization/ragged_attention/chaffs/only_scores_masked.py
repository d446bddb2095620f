"""Masks scores only: weights of 0 times nan.

Fails: test_beyond (nan), test_padding (nan), test_gradients_beyond
Says: values beyond the length are multiplied by 0, and 0 times nan is nan
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = (torch.arange(keys.shape[1]) < lengths[:, None])[:, None]
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1).masked_fill(~mask, 0.0)
    return weights @ values
