"""The default of dim is 0.

Fails: test_dim (values)
Says: the default of dim is 0, and not -1
"""

import torch
from torch import Tensor


def softmax(logits: Tensor, dim: int = 0) -> Tensor:
    return torch.softmax(logits, dim, dtype=torch.promote_types(logits.dtype, torch.float32))
