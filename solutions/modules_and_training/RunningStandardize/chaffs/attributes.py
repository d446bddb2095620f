"""Plain attributes: nothing is saved, and nothing converted.

Fails: test_state (values), test_resume, test_double (dtype)
Says: tensors that are plain attributes are no part of the module's state
"""

import torch
from torch import Tensor, nn


class RunningStandardize(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.mean = torch.zeros(features)
        self.var = torch.ones(features)
        self.count = torch.tensor(0)

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
