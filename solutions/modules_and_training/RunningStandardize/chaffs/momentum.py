"""Old and new are mixed by a fixed share, as in BatchNorm1d.

Fails: test_by_hand, test_two_batches, test_stream, test_sizes, test_offset
Costs: 4.5, because no statistic of all rows is ever right.
Says: old rows fade away, where all should count alike
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
        self.var = 0.9 * self.var + 0.1 * var
        self.mean = 0.9 * self.mean + 0.1 * mean
        self.count = total
