"""torch.distributions normalises the logits; its probabilities are a softmax along the last dimension."""

import torch
from torch import Tensor
from torch.distributions import Categorical


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    return Categorical(logits=x, validate_args=False).probs.movedim(-1, dim)
