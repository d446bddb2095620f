"""Returns log-probabilities.

Fails: test_small_logits, test_large_logits, test_dim, test_values, test_float64, test_huge_logits,
    test_nearly_tied_logits, test_rows_of_different_size, test_every_dim, test_memory_layout, test_gradient,
    test_minus_infinity, test_nan, test_half_precision
Costs: 11.5, because every result is wrong.
Says: the logarithms of the probabilities are returned
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
