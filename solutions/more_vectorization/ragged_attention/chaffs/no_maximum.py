"""exp without subtracting a maximum.

Fails: test_scores
Says: exp of the scores is taken as they are, and overflows or becomes 0
"""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1]) < lengths[:, None]
    keys = keys.masked_fill(~mask[..., None], 0.0)
    values = values.masked_fill(~mask[..., None], 0.0)
    powers = (queries @ keys.mT / queries.shape[-1] ** 0.5).exp() * mask[:, None]
    total = powers.sum(-1, keepdim=True)
    return powers @ values / torch.where(total == 0, 1.0, total)
