"""Takes the rounded number as it is, and adds z - z, of which the first has a gradient."""

import torch
from torch import Tensor


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    z = torch.clamp(x / scale, -half, half - 1)
    n = torch.round(z).detach()
    return (n + (z - z.detach())) * scale
