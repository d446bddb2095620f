"""The variance of all rows is divided by n - 1.

Fails: test_by_hand (factor), test_two_batches, test_sizes
Says: the variance is divided by n - 1, as torch.var does
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
        mean = x.mean(dim=0)
        squares = ((x - mean) ** 2).sum(dim=0) + (mean - self.mean) ** 2 * self.count * len(x) / total
        self.var = ((self.count - 1).clamp(min=0) * self.var + squares) / (total - 1).clamp(min=1)
        self.mean = self.mean + (mean - self.mean) * len(x) / total
        self.count = total
