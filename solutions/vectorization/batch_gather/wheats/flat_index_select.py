"""index_select on the flattened batch, with a bounds check first.

Why: All examples are laid end to end, so that entry n of example b is number b * N + n of one long list, and one
    index_select fetches everything. In contrast to the reference the bounds have to be checked by hand, and before
    the offsets are added: afterwards an index that is too large looks like one of the next example. any() is right
    for an empty tensor, where max() raises.
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    if (indices >= count).any():
        raise IndexError(f"an index is out of range for {count} entries")
    offsets = count * torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
    return values.flatten(0, 1).index_select(0, (indices + offsets).flatten()).reshape(*indices.shape, *rest)
