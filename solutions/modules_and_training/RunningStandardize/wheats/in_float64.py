"""Mean squares, but computed in float64, and from the mean as it is stored."""

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
        if self.training and x.numel():
            rows = x.detach().double()
            old, new = int(self.count), len(rows)
            mean, var = self.mean.double(), self.var.double()
            shifted = rows - mean  # the old mean as origin
            first = shifted.sum(0) / (old + new)
            second = (old * var + shifted.square().sum(0)) / (old + new)
            self.mean.copy_(mean + first)
            self.var.copy_(second - first.square())
            self.count.add_(new)
        return (x - self.mean) / (self.var + self.eps) ** 0.5
