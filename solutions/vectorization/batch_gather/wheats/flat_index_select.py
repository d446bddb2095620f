"""index_select on the flattened batch, with a bounds check first."""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    if (indices >= count).any():
        raise IndexError(f"an index is out of range for {count} entries")
    offsets = count * torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.flatten(0, 1).index_select(0, (indices + offsets).flatten()).reshape(*indices.shape, *rest)
