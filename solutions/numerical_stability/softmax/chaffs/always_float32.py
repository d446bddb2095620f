"""Computes in float32 even where the logits are float64.

Fails: test_float64 (values), test_huge_logits (nan), test_nearly_tied_logits (values), test_gradient_along_dim
    (values), test_gradient_of_large_logits (nan), test_result_dtype (dtype)
Says: everything is computed in float32, float64 logits too
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(logits.float(), dim)
