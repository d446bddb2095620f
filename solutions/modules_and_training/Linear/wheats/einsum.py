"""einsum, and numbers from rand, moved and scaled before they become parameters."""

import math

import torch
from torch import Tensor, nn


class Linear(nn.Module):
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__()
        k = 1 / math.sqrt(in_features)
        self.shape = (in_features, out_features)
        self.weight = nn.Parameter((2 * torch.rand(out_features, in_features, device=device, dtype=dtype) - 1) * k)
        self.bias = nn.Parameter((2 * torch.rand(out_features, device=device, dtype=dtype) - 1) * k) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        y = torch.einsum("...i,oi->...o", x, self.weight)
        if self.bias is not None:
            y = y + self.bias
        return y

    def __repr__(self) -> str:
        return f"Linear(in_features={self.shape[0]}, out_features={self.shape[1]}, bias={self.bias is not None})"
