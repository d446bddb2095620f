"""Reductions without keepdim: shapes do not fit, or fit the wrong way round.

Fails: test_small_logits (raised), test_large_logits (nan), test_dim (raised), test_values (raised), test_float64
    (raised), test_huge_logits (raised), test_nearly_tied_logits (raised), test_rows_of_different_size (raised),
    test_every_dim (raised), test_memory_layout (raised), test_empty_batch (raised), test_gradient (raised),
    test_minus_infinity (raised), test_nan (raised), test_result_dtype (raised), test_half_precision (raised),
    test_inputs_untouched (raised), test_device (raised), test_operations (raised), test_speed (raised)
Costs: all, because no result along the usual dim is right.
Says: max and sum are taken without keepdim=True
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    exps = torch.exp(x - x.amax(dim=dim))
    return exps / exps.sum(dim=dim)
