"""One length for all: the longest.

Fails: test_by_hand, test_beyond, test_values, test_length_zero, test_padding
Costs: 7, because lengths are what the exercise is about, and no example but the longest gets its own keys.
Says: all examples are cut at the longest length
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    n = int(lengths.max())
    scores = queries @ keys[:, :n].mT / queries.shape[-1] ** 0.5
    return scores.softmax(-1) @ values[:, :n]
