"""exp, sum and division by hand, with the maximum over real keys, and a sum of at least 1 where there is none."""

import math

import torch
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.shape[1])[None, :] < lengths[:, None]
    k = torch.where(mask[..., None], keys, torch.zeros_like(keys))
    v = torch.where(mask[..., None], values, torch.zeros_like(values))
    scores = torch.einsum("btd,bsd->bts", queries, k) / math.sqrt(k.shape[-1])
    mask = mask[:, None, :]
    top = scores.masked_fill(~mask, -1e38).amax(-1, keepdim=True).detach()
    top = torch.where(mask.any(-1, keepdim=True), top, 0.0)
    powers = torch.where(mask, scores - top, 0.0).exp() * mask
    total = powers.sum(-1, keepdim=True)
    total = torch.where(total == 0, 1.0, total)
    return torch.einsum("bts,bse->bte", powers / total, v)
