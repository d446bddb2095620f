"""The default of dim is 0.

Fails: test_small_logits, test_large_logits, test_values, test_huge_logits, test_nearly_tied_logits,
    test_rows_of_different_size, test_every_dim, test_minus_infinity, test_nan, test_half_precision
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = 0) -> Tensor:
    return torch.softmax(logits, dim, dtype=torch.promote_types(logits.dtype, torch.float32))
