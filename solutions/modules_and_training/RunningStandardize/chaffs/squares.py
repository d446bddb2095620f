"""E[x²] - E[x]².

Fails: test_offset
Says: the variance is a difference of two squares, which leaves no digits far from 0
"""

import torch
from torch import Tensor, nn


class RunningStandardize(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("var", torch.ones(features))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) > 0:
            self._merge(x.detach())
        return (x - self.mean) / (self.var + self.eps).sqrt()

    def _merge(self, x: Tensor) -> None:
        total = self.count + len(x)
        squares = self.count * (self.var + self.mean**2) + (x**2).sum(dim=0)
        self.mean = (self.count * self.mean + x.sum(dim=0)) / total
        self.var = squares / total - self.mean**2
        self.count = total
