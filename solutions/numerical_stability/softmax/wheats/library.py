"""torch.softmax with the dtype that it is to compute in."""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(logits, dim, dtype=torch.promote_types(logits.dtype, torch.float32))
