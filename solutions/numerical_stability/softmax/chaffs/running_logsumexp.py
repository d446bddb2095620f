"""The logarithm of the sum as the last of the running ones; in torch 2.13 their gradient is nan beside a -inf.

Fails: test_minus_infinity (nan)
Says: the sum is the last of running ones, whose gradient is nan where they begin with -inf
"""

import torch


def softmax(logits, dim=-1):
    x = logits.double() if logits.dtype == torch.float64 else logits.float()
    x = x - x.max(dim, keepdim=True).values
    total = torch.logcumsumexp(x, dim).select(dim, -1).unsqueeze(dim)
    return (x - total).exp()
