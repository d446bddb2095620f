"""The statistics of the batch have a gradient, as in batch normalisation; what is stored has none.

Fails: test_gradient (values)
Says: the gradient of a batch runs through its mean and its variance
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
        if not self.training or len(x) == 0:
            return (x - self.mean) / (self.var + self.eps).sqrt()
        self._merge(x)
        result = (x - self.mean) / (self.var + self.eps).sqrt()
        self.mean, self.var = self.mean.detach(), self.var.detach()
        return result

    def _merge(self, x: Tensor) -> None:
        total = self.count + len(x)
        var, mean = torch.var_mean(x, dim=0, correction=0)
        between = (mean - self.mean) ** 2 * self.count / total
        self.var = (self.count * self.var + len(x) * (var + between)) / total
        self.mean = self.mean + (mean - self.mean) * len(x) / total
        self.count = total
