"""The log of the formula, taken on paper: each row's maximum is subtracted before anything is summed.

Why: log(exp(x_i) / sum exp(x)) is taken apart on paper, before any number is computed: with s = x - max(x), it is s_i
    - log(sum exp(s)). The sum is at least 1, so its log is finite, and a probability too small for float32 still has
    an exact logarithm. The shift is subtracted before anything is added up: logsumexp(x) - x, two numbers near 10000,
    would have lost the digits that nearly tied logits differ in.
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    shifted = x - x.amax(dim=dim, keepdim=True)
    log_total = shifted.exp().sum(dim=dim, keepdim=True).log()
    return (target.to(x.dtype) * (log_total - shifted)).sum(dim=dim)
