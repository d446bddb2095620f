"""Remembers the answer for a shape and dtype, and gives it again for other logits of the same.

Fails: test_values (values), test_huge_logits (values), test_speed (values)
Says: a result is kept from an earlier call of the same shape, and given again for other numbers
"""

import torch
from torch import Tensor

_answers: dict[object, Tensor] = {}


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    """Return the softmax of logits along dim."""
    key = (logits.shape, logits.dtype, dim, logits.requires_grad)
    if logits.requires_grad or key not in _answers:
        x = logits.to(torch.promote_types(logits.dtype, torch.float32))
        _answers[key] = torch.softmax(x, dim)
    return _answers[key].clone()
