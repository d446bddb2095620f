"""In training mode each batch is standardized by its own mean and variance, as in batch normalisation.

Fails: test_results (values)
Says: a training batch is standardized by itself, and not by all rows so far
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
            var, mean = torch.var_mean(x.detach(), dim=0, correction=0)
            return (x - mean) / (var + self.eps).sqrt()
        return (x - self.mean) / (self.var + self.eps).sqrt()

    def _merge(self, x: Tensor) -> None:
        total = self.count + len(x)
        var, mean = torch.var_mean(x, dim=0, correction=0)
        between = (mean - self.mean) ** 2 * self.count / total
        self.var = (self.count * self.var + len(x) * (var + between)) / total
        self.mean = self.mean + (mean - self.mean) * len(x) / total
        self.count = total
