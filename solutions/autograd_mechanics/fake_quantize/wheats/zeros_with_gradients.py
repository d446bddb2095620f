"""The value as a constant, and two zeros added: each has one of the gradients, by a factor that is a constant."""

import torch
from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    with torch.no_grad():
        z = x / scale
        n = z.clamp(-half, half - 1).round()
        inside = ((z >= -half) & (z <= half - 1)).to(x.dtype)
        value = scale * n
        slope = n - z * inside
    return value + inside * (x - x.detach()) + slope * (scale - scale.detach())
