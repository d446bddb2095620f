"""Remembers the answer for a shape and dtype, and gives it again for other logits of the same.

Fails: test_values (values), test_float64 (values), test_huge_logits (values), test_speed (values)
Says: a result is kept from an earlier call of the same shape, and given again for other numbers
"""

import torch
from torch import Tensor

_answers: dict[object, Tensor] = {}


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    """Return the cross-entropy of logits and target along dim."""
    key = (logits.shape, logits.dtype, dim, logits.requires_grad)
    if logits.requires_grad or key not in _answers:
        x = logits.to(torch.promote_types(logits.dtype, torch.float32))
        _answers[key] = -(target.to(x.dtype) * torch.log_softmax(x, dim)).sum(dim)
    return _answers[key].clone()
