"""Masks weights after the softmax, and divides by nothing: they no longer add up to 1.

Fails: test_by_hand, test_beyond, test_values
Says: weights are masked after the softmax, so those that are left add up to less than 1
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1]) < lengths[:, None]
    keys = keys.masked_fill(~mask[..., None], 0.0)
    values = values.masked_fill(~mask[..., None], 0.0)
    weights = (queries @ keys.mT / queries.shape[-1] ** 0.5).softmax(-1)
    return (weights * mask[:, None]) @ values
