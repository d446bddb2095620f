"""Computes in float32 even where the logits are float64.

Fails: test_values, test_huge_logits, test_nearly_tied_logits, test_gradient, test_gradient_of_large_logits
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(logits.float(), dim)
