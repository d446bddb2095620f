"""nan and infinities are replaced by numbers.

Fails: test_exact (values)
Says: nan and infinities are replaced by numbers
"""

import torch
from torch import Tensor


def batch_gather(values: Tensor, indices: Tensor) -> Tensor:
    rows = torch.arange(len(values), device=values.device).reshape(-1, *[1] * (indices.dim() - 1))
    return torch.nan_to_num(values[rows, indices])
