"""exp of the library's log_softmax."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    log_probabilities = torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim=dim)
    return log_probabilities.exp()
