"""Applies softmax twice: the model had one already.

Fails: test_small_logits (values), test_large_logits (values), test_dim (values), test_values (values), test_float64
    (values), test_huge_logits (values), test_nearly_tied_logits (values), test_rows_of_different_size (values),
    test_every_dim (values), test_memory_layout (values), test_empty_batch (values), test_gradient (values),
    test_minus_infinity (values), test_nan (values), test_result_dtype (values), test_half_precision (values),
    test_inputs_untouched (values), test_device (values), test_operations (values), test_speed (values)
Costs: all, because every result is wrong.
Says: softmax is applied twice, or its logarithm is returned
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return torch.softmax(torch.softmax(x, dim), dim)
