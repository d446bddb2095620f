"""Groups examples by their length: a loop over all lengths that occur.

Fails: test_operations
Says: there is a loop over the lengths that occur
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    result = torch.zeros(*queries.shape[:2], values.shape[2], dtype=queries.dtype)
    for n in lengths.unique().tolist():
        these = (lengths == n).nonzero()[:, 0]
        scores = queries[these] @ keys[these, :n].mT / queries.shape[-1] ** 0.5
        result = result.index_add(0, these, scores.softmax(-1) @ values[these, :n])
    return result
