"""A loop over keys, with a running maximum and running sums, as in flash attention: as many steps for any batch."""

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    B, T, D = queries.shape
    top = torch.full((B, T, 1), -1e30, dtype=queries.dtype)
    total = torch.zeros_like(top)
    result = queries.new_zeros(B, T, values.shape[-1])
    for s in range(keys.shape[1]):
        counts = (s < lengths)[:, None, None]
        key = torch.where(counts, keys[:, s : s + 1], 0.0)
        value = torch.where(counts, values[:, s : s + 1], 0.0)
        score = (queries * key).sum(-1, keepdim=True) / D**0.5
        higher = torch.where(counts, torch.maximum(top, score), top)
        rescale = (top - higher).exp()
        power = torch.where(counts, score - higher, 0.0).exp() * counts
        total = total * rescale + power
        result = result * rescale + power * value
        top = higher
    return result / torch.where(total == 0, 1.0, total)
