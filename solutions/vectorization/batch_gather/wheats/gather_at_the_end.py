"""The gathered dimension moved to the end, everything else flattened to rows, and gather there."""

import math

from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, _, *rest = values.shape
    last = values.movedim(1, -1)
    index = indices.reshape(batch, *[1] * len(rest), math.prod(indices.shape[1:]))
    picked = last.gather(-1, index.expand(*last.shape[:-1], index.shape[-1]))
    return picked.movedim(-1, 1).reshape(*indices.shape, *rest)
