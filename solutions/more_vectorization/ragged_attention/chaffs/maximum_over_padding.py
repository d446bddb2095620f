"""The maximum is taken over padding as well, whose scores are 0.

Fails: test_scores
Says: the maximum is taken over the padding's scores as well, which can be far above the real ones
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1]) < lengths[:, None]
    keys = keys.masked_fill(~mask[..., None], 0.0)
    values = values.masked_fill(~mask[..., None], 0.0)
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask[:, None]
    total = powers.sum(-1, keepdim=True)
    return powers @ values / torch.where(total == 0, 1.0, total)
