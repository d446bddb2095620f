"""torch.nn's module, with the conversion in front."""

import torch
from torch import Tensor
from torch import nn


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    return nn.Softmax(dim=dim)(logits)
