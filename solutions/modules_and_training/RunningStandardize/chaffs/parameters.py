"""mean and var are parameters, which an optimizer moves.

Fails: test_state, test_next_batch
Says: mean and var are parameters, though no gradient teaches them
"""

import torch
from torch import Tensor, nn


class RunningStandardize(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.mean = nn.Parameter(torch.zeros(features))
        self.var = nn.Parameter(torch.ones(features))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) > 0:
            self._merge(x.detach())
        return (x - self.mean) / (self.var + self.eps).sqrt()

    def _merge(self, x: Tensor) -> None:
        total = self.count + len(x)
        var, mean = torch.var_mean(x, dim=0, correction=0)
        between = (mean - self.mean.data) ** 2 * self.count / total
        self.var.data = (self.count * self.var.data + len(x) * (var + between)) / total
        self.mean.data = self.mean.data + (mean - self.mean.data) * len(x) / total
        self.count = total
