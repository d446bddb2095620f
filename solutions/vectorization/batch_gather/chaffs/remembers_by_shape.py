"""A table of places, made at the first call of a shape and used again at the next, "since it is always the same".

Fails: test_called_again
Says: something that was computed in one call is used again in the next one of the same shape, although the indices
    are others
"""

import torch
from torch import Tensor

_places = {}


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count = values.shape[:2]
    if (indices >= count).any():
        raise IndexError("index out of range")
    key = (values.shape, indices.shape)
    if key not in _places:
        rows = torch.arange(batch, device=indices.device).reshape(batch, *[1] * (indices.dim() - 1))
        _places[key] = rows * count + indices
    return values.flatten(0, 1)[_places[key]]
