"""Zeros the padding in the tensors that were given.

Fails: test_inputs_untouched
Says: padding is set to 0 in the caller's own tensors
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1]) < lengths[:, None]
    keys[~mask] = 0
    values[~mask] = 0
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask[:, None], torch.finfo(scores.dtype).min)
    return scores.softmax(-1) @ values
