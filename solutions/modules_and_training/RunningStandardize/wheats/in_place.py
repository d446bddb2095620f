"""The buffers are written in place, under no_grad."""

import torch
from torch import Tensor, nn


class RunningStandardize(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("var", torch.ones(features))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def update(self, x: Tensor) -> None:
        n = x.shape[0]
        if n == 0:
            return
        old = self.count.item()
        delta = x.mean(0) - self.mean
        within = self.var * old + x.var(0, unbiased=False) * n
        self.var.copy_((within + delta**2 * (old * n / (old + n))) / (old + n))
        self.mean += delta * (n / (old + n))
        self.count += n

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.update(x)
        return (x - self.mean) * torch.rsqrt(self.var + self.eps)
