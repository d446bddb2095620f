"""The library's cross_entropy takes probabilities too, with the classes in dimension 1."""

import torch
import torch.nn.functional as F
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    x, t = x.movedim(dim, -1), target.to(x.dtype).movedim(dim, -1)
    shape, classes = x.shape[:-1], x.shape[-1]
    losses = F.cross_entropy(x.reshape(-1, classes), t.reshape(-1, classes), reduction="none")
    return losses.reshape(shape)
