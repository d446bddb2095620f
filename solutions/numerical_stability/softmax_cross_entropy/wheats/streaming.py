"""One pass over the classes: a running maximum, sum of exponentials, sum of weights and weighted sum."""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    dtype = torch.promote_types(logits.dtype, torch.float32)
    xs = logits.to(dtype).unbind(dim)
    ts = target.to(dtype).unbind(dim)
    top = xs[0]
    total = torch.exp(xs[0] - top)  # 1, or nan
    weight = ts[0]
    weighted = ts[0] * (xs[0] - top)  # sum of t * (x - top)
    for x, t in zip(xs[1:], ts[1:], strict=True):
        higher = torch.maximum(top, x)
        step = top - higher
        total = total * torch.exp(step) + torch.exp(x - higher)
        weighted = weighted + weight * step + t * (x - higher)
        weight = weight + t
        top = higher
    return weight * torch.log(total) - weighted
