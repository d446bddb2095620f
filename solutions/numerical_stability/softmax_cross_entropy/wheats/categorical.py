"""torch.distributions normalises the shifted logits; the expected log-probability is the loss."""

import torch
from torch.distributions import Categorical


def softmax_cross_entropy(logits, target, dim=-1):
    x = logits.transpose(dim, -1)
    if x.dtype != torch.float64:
        x = x.float()
    shifted = x - x.max(-1, keepdim=True).values
    log_probabilities = Categorical(logits=shifted, validate_args=False).logits
    return -(target.transpose(dim, -1).to(x.dtype) * log_probabilities).sum(-1, keepdim=True).transpose(dim, -1).squeeze(dim)
