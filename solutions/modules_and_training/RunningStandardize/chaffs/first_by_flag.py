"""A flag of Python's says which batch is the first: after loading, the next one overwrites all.

Fails: test_resume
Says: a flag that is not saved says whether this is the first batch
"""

import torch
from torch import Tensor, nn


class RunningStandardize(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.first = True
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
        if self.first:
            self.mean, self.var, self.count = mean, var, torch.tensor(len(x))
            self.first = False
            return
        self.var = (self.count * self.var + len(x) * (var + between)) / total
        self.mean = self.mean + (mean - self.mean) * len(x) / total
        self.count = total
