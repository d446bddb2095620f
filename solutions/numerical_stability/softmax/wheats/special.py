"""The library's, by its other name, with autocast switched off by a decorator."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    @torch.autocast(logits.device.type, enabled=False)
    def probabilities(x):
        return torch.special.softmax(x, dim)

    return probabilities(logits if logits.dtype == torch.float64 else logits.to(torch.float32))
