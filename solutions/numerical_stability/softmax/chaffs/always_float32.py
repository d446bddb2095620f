"""Computes in float32 even where the logits are float64.

Fails: test_float64, test_huge_logits, test_nearly_tied_logits, test_gradient_along_dim,
    test_gradient_of_large_logits, test_result_dtype
Says: everything is computed in float32, float64 logits too
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(logits.float(), dim)
