"""PyTorch's own attention, which gives zeros where a mask leaves nothing; padding of keys and values becomes 0 before."""

import torch
import torch.nn.functional as F
from torch import Tensor


def ragged_attention(queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(keys.size(1))[None] < lengths[:, None]
    keys, values = (torch.where(mask[..., None], x, torch.zeros_like(x)) for x in (keys, values))
    return F.scaled_dot_product_attention(queries[:, None], keys[:, None], values[:, None], mask[:, None, None])[:, 0]
