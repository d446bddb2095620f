"""A module of its own, as one would write for a training loop."""

import torch
from torch import Tensor
from torch import nn


class SoftCrossEntropy(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.log_softmax = nn.LogSoftmax(dim=dim)
        self.dim = dim

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        if logits.dtype in (torch.float16, torch.bfloat16):
            logits = logits.float()
        losses = target.to(logits.dtype) * self.log_softmax(logits)
        return losses.sum(self.dim).neg()


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    return SoftCrossEntropy(dim)(logits, target)
