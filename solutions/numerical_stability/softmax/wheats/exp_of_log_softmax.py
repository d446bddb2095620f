"""exp of the library's log_softmax.

Why: The logarithm of the probability is a difference, x minus logsumexp(x), and torch.log_softmax computes it with
    the shift inside. exp of it is the probability. That costs one more exp than the reference, and is a good choice
    where the logarithms are needed, too.
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    log_probabilities = torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim=dim)
    return log_probabilities.exp()
