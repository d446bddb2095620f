"""Every dimension indexed, as numpy.ogrid would: a loop over the dimensions, not over what is in them."""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rest = values.shape[2:]
    rank = indices.dim() + len(rest)

    def along(size: int, position: int) -> Tensor:
        return torch.arange(size).view([size if d == position else 1 for d in range(rank)])

    coordinates = [along(values.shape[0], 0), indices.reshape(*indices.shape, *[1] * len(rest))]
    coordinates += [along(size, indices.dim() + d) for d, size in enumerate(rest)]
    return values[tuple(coordinates)]
