"""Chooses by where: the ends are constants, everything between is rounded with a gradient of 1."""

import torch
from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = x / scale
    inner = z.detach().round() + (z - z.detach())
    n = torch.where(z < -half, -float(half), torch.where(z > half - 1, float(half - 1), inner))
    return n.to(x.dtype) * scale
