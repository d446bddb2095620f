"""Returns float64, whatever the logits are.

Fails: test_result_dtype (dtype)
Says: the result is float64, whatever the logits are
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(logits.double(), dim)
