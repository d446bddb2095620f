"""A helper class with a method for each step."""

import torch
from torch import Tensor


class StableSoftmax:
    def __init__(self, dim):
        self.dim = dim

    def widen(self, x):
        return x.to(torch.float64) if x.dtype == torch.float64 else x.to(torch.float32)

    def shift(self, x):
        return x - torch.amax(x, dim=self.dim, keepdim=True)

    def normalise(self, e):
        return torch.div(e, torch.sum(e, dim=self.dim, keepdim=True))

    def __call__(self, x):
        return self.normalise(torch.exp(self.shift(self.widen(x))))


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return StableSoftmax(dim)(logits)
