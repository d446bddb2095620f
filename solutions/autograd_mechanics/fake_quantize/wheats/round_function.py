"""An autograd Function for round alone; everything else is left to autograd."""

import torch
from torch import Tensor


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z: Tensor) -> Tensor:
        return z.round()

    @staticmethod
    def backward(ctx, gradient: Tensor) -> Tensor:
        return gradient


def fake_quantize(x: Tensor, scale: Tensor, *, bits: int = 8) -> Tensor:
    half = 2 ** (bits - 1)
    return _Round.apply((x / scale).clamp(-half, half - 1)) * scale
