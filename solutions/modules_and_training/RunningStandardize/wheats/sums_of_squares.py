"""The sum of squared distances is taken back from var, and merged as a sum."""

import torch
from torch import Tensor, nn


def merged(n_a, mean_a, m2_a, n_b, mean_b, m2_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    return n, mean_a + delta * n_b / n, m2_a + m2_b + delta * delta * n_a * n_b / n


class RunningStandardize(nn.Module):
    mean: Tensor
    var: Tensor
    count: Tensor

    def __init__(self, features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("count", torch.tensor(0))
        self.register_buffer("var", torch.ones(features))
        self.register_buffer("mean", torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x):
            data = x.data
            center = data.mean(0)
            now = (len(data), center, (data - center).square().sum(0))
            count, mean, squares = merged(self.count.item(), self.mean, self.var * self.count, *now)
            self.count.fill_(count)
            self.mean.data = mean
            self.var.data = squares / count
        return (x - self.mean.detach()) / (self.var.detach() + self.eps).sqrt()

    def extra_repr(self) -> str:
        return f"{len(self.mean)}, eps={self.eps}"
