"""Welford's update, a row at a time."""

import torch
from torch import Tensor, nn


class RunningStandardize(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("var", torch.ones(features))
        self.register_buffer("count", torch.tensor(0, dtype=torch.long))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            with torch.no_grad():
                for row in x:
                    self.count += 1
                    before = row - self.mean
                    self.mean += before / self.count
                    squares = self.var * (self.count - 1) + before * (row - self.mean)
                    self.var = squares / self.count
        return (x - self.mean) / torch.sqrt(self.var + self.eps)
