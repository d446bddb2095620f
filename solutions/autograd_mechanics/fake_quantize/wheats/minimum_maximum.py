"""Clamps by minimum and maximum, and divides by multiplying with the reciprocal."""

import torch
from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = x * scale.reciprocal()
    z = torch.minimum(torch.maximum(z, torch.full_like(z, -half)), torch.full_like(z, half - 1))
    with torch.no_grad():
        rest = z.round() - z
    return (z + rest) * scale
