"""A one-hot matrix times the values.

Fails: test_every_dtype (raised), test_exact (nan)
Says: the entries are chosen by a product with zeros and ones: 0 times inf is nan, and not every dtype has products
"""

import math

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    batch, count, *rest = values.shape
    flat = indices.reshape(batch, math.prod(indices.shape[1:]))
    chosen = (flat[..., None] == torch.arange(count, device=indices.device)).to(values.dtype)
    if (indices >= count).any():
        raise IndexError("index out of range")
    picked = chosen @ values.reshape(batch, count, math.prod(rest))
    return picked.reshape(*indices.shape, *rest)
