"""Scales by powers of two, from frexp, in two halves because 2 ** 139 is no float32.

Why: a power of two changes the exponent only, so scaling rounds nothing. The smallest float32s need a factor of 2 ** 149, which is
    too large for one float32 and easy for two.
"""

import torch
from torch import Tensor


def unit(x: Tensor, dim: int = -1) -> Tensor:
    exponent = -torch.frexp(x.detach().abs().amax(dim, keepdim=True)).exponent
    half = exponent.div(2, rounding_mode="floor")
    scaled = x * torch.exp2(half.to(x.dtype)) * torch.exp2((exponent - half).to(x.dtype))
    squares = (scaled * scaled).sum(dim, keepdim=True)
    return scaled / squares.masked_fill(squares == 0, 1).sqrt()
