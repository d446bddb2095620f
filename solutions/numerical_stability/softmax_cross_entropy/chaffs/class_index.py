"""Treats the target as a label: its largest entry counts, the others do not.

Fails: test_small_logits (values), test_large_logits (values), test_dim (values), test_values (values), test_float64
    (values), test_huge_logits (values), test_nearly_tied_logits (values), test_rows_of_different_size (values),
    test_every_dim (values), test_memory_layout (values), test_empty_batch (values), test_gradient (values), test_nan
    (values), test_result_dtype (values), test_half_precision (values), test_inputs_untouched (values), test_device
    (values), test_operations (values), test_speed (values)
Costs: all, because every loss of a soft target is wrong.
Says: only the target's largest entry counts, as if it were a class index
"""

import torch
from torch import Tensor


def softmax_cross_entropy(logits: Tensor, target: Tensor, dim: int = -1) -> Tensor:
    log_p = torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
    return -log_p.gather(dim, target.argmax(dim, keepdim=True)).squeeze(dim)
