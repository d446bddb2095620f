"""Batch and past are two groups of rows: their variances are weighed by rows, and the distance of their means is added.

Why: a buffer is saved, converted and moved with its module, and has no gradient, so the three numbers are all that the next batch
    depends on. The batch is detached before it is merged, so mean and var are numbers without a graph. Differences are taken before
    they are squared: near 10000, a difference of squares would have no digits left. The first batch needs no case of its own, since
    the variance at the start weighs 0 rows.
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
        var, mean = torch.var_mean(x, dim=0, correction=0)
        between = (mean - self.mean) ** 2 * self.count / total
        self.var = (self.count * self.var + len(x) * (var + between)) / total
        self.mean = self.mean + (mean - self.mean) * len(x) / total
        self.count = total
