"""Each class's loss is the logsumexp of the differences to all logits: of those that tie far above it, each gets the whole gradient.

Fails: test_gradient_of_large_logits (values)
Says: each loss is a logsumexp of differences, whose gradient is lost where many tie
"""

import torch


def softmax_cross_entropy(logits, target, dim=-1):
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1)
    t = target.to(x.dtype).movedim(dim, -1)
    gaps = x.unsqueeze(-2) - x.unsqueeze(-1)  # [..., class, other]
    return (t * gaps.logsumexp(-1)).sum(-1)
